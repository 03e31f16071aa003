"""Orders a certificate with the acme library of Python: directory, directory of challenges, name.
Prints the chain. A directory of challenges that is empty leaves them without a proof."""

import sys
from pathlib import Path

from acme import challenges, client, errors, messages
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID
from josepy import JWKRSA

address, files, name = sys.argv[1:]
account = JWKRSA(key=rsa.generate_private_key(65537, 2048))
net = client.ClientNetwork(account, user_agent="interop")
directory = client.ClientV2.get_directory(address, net)
acme = client.ClientV2(directory, net)
acme.new_account(messages.NewRegistration.from_data(terms_of_service_agreed=True))
request = (
    x509.CertificateSigningRequestBuilder()
    .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
    .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    .sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())
)
order = acme.new_order(request.public_bytes(serialization.Encoding.PEM))
for authorization in order.authorizations:
    for body in authorization.body.challenges:
        if not isinstance(body.chall, challenges.HTTP01):
            continue
        response, proof = body.chall.response_and_validation(account)
        if files:
            (Path(files) / body.chall.encode("token")).write_text(proof)
        acme.answer_challenge(body, response)
try:
    print(acme.poll_and_finalize(order).fullchain_pem)
except errors.ValidationError as failure:
    for authorization in failure.failed_authzrs:
        for body in authorization.body.challenges:
            if body.error:
                sys.exit(str(body.error))
    raise
