# Issues a certificate with the gem acme-client: directory URL, challenge directory, name, CA of the
# server's certificate. Prints the chain.

require "acme-client"
require "openssl"

address, files, name, trusted = ARGV
client = Acme::Client.new(
  private_key: OpenSSL::PKey::RSA.new(2048),
  directory: address,
  connection_options: { ssl: { ca_file: trusted } }
)
warn "terms: #{client.meta["termsOfService"].inspect}"
client.new_account(contact: "mailto:ruby@acme.test", terms_of_service_agreed: true)
order = client.new_order(identifiers: [name])
order.authorizations.each do |authorization|
  challenge = authorization.http
  File.write(File.join(files, challenge.token), challenge.file_content)
  challenge.request_validation
  while challenge.status == "pending" || challenge.status == "processing"
    sleep 0.5
    challenge.reload
  end
  abort challenge.error.inspect unless challenge.status == "valid"
end
key = OpenSSL::PKey::RSA.new(2048)
order.finalize(csr: Acme::Client::CertificateRequest.new(private_key: key, names: [name]))
while order.status == "processing" || order.status == "ready"
  sleep 0.5
  order.reload
end
chain = order.certificate
client.revoke(certificate: chain)
print chain
