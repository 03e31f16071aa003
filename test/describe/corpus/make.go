// Prints certificates, CRLs and CSRs made by Go as PEM, each after a line with its name.
package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"time"
)

var (
	begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	end   = time.Date(2036, 1, 2, 3, 4, 5, 0, time.UTC)
	key   = must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	ca    = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Go CA"}, NotBefore: begin, NotAfter: end,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign, SubjectKeyId: []byte{1, 2, 3},
	}
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func show(name, label string, der []byte) {
	fmt.Println(name)
	pem.Encode(os.Stdout, &pem.Block{Type: label, Bytes: der})
}

func leaf() *x509.Certificate {
	return &x509.Certificate{SerialNumber: big.NewInt(4096), Subject: pkix.Name{CommonName: "leaf.test"}, NotBefore: begin, NotAfter: end}
}

func certificate(name string, public crypto.PublicKey, change func(*x509.Certificate)) {
	template := leaf()
	change(template)
	show(name, "CERTIFICATE", must(x509.CreateCertificate(rand.Reader, template, ca, public, key)))
}

func oid(text string) (id asn1.ObjectIdentifier) {
	part := 0
	for _, char := range text + "." {
		if char == '.' {
			id, part = append(id, part), 0
		} else {
			part = part*10 + int(char-'0')
		}
	}
	return
}

func extension(id, value string) pkix.Extension {
	return pkix.Extension{Id: oid(id), Value: must(hex.DecodeString(value))}
}

func main() {
	public := key.Public()
	certificate("go: names of every kind", public, func(c *x509.Certificate) {
		c.DNSNames = []string{"a.test", "*.b.test"}
		c.EmailAddresses = []string{"a@a.test"}
		c.IPAddresses = []net.IP{net.ParseIP("192.0.2.1"), net.ParseIP("2001:db8::1")}
		c.URIs = []*url.URL{must(url.Parse("spiffe://a.test/b"))}
	})
	certificate("go: usages", public, func(c *x509.Certificate) {
		c.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment | x509.KeyUsageKeyAgreement | x509.KeyUsageEncipherOnly
		c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageCodeSigning, x509.ExtKeyUsageEmailProtection, x509.ExtKeyUsageTimeStamping, x509.ExtKeyUsageOCSPSigning, x509.ExtKeyUsageMicrosoftServerGatedCrypto}
		c.UnknownExtKeyUsage = []asn1.ObjectIdentifier{oid("1.3.6.1.4.1.311.20.2.2"), oid("1.3.6.1.5.2.3.5"), oid("1.2.3.4")}
	})
	certificate("go: constraints of an intermediate", public, func(c *x509.Certificate) {
		c.IsCA, c.BasicConstraintsValid, c.MaxPathLenZero = true, true, true
		c.PermittedDNSDomainsCritical = true
		c.PermittedDNSDomains, c.ExcludedDNSDomains = []string{"a.test"}, []string{"b.a.test"}
		_, v4, _ := net.ParseCIDR("10.0.0.0/8")
		_, v6, _ := net.ParseCIDR("2001:db8::/32")
		c.PermittedIPRanges, c.ExcludedIPRanges = []*net.IPNet{v4}, []*net.IPNet{v6}
		c.PermittedEmailAddresses, c.ExcludedURIDomains = []string{".a.test"}, []string{"c.test"}
	})
	certificate("go: addresses", public, func(c *x509.Certificate) {
		c.OCSPServer, c.IssuingCertificateURL = []string{"http://ocsp.test"}, []string{"http://ca.test/ca.cer"}
		c.CRLDistributionPoints = []string{"http://crl.test/1", "ldap://crl.test/cn=2"}
		c.PolicyIdentifiers = []asn1.ObjectIdentifier{oid("2.23.140.1.2.1"), oid("1.2.3.4")}
	})
	// a list of one timestamp: version 1, a log of 32 bytes, a time, no extensions, ECDSA with SHA-256
	list := "0041" + "003f" + "00" + "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90" + "0000019b7c3f5a88" + "0000" + "0403" + "0010" + "300e02070102030405060702030a0b0c"
	certificate("go: signed certificate timestamps", public, func(c *x509.Certificate) {
		c.ExtraExtensions = []pkix.Extension{{Id: oid("1.3.6.1.4.1.11129.2.4.2"), Value: must(asn1.Marshal(must(hex.DecodeString(list))))}}
	})
	for _, one := range [][3]string{
		{"pre-certificate", "1.3.6.1.4.1.11129.2.4.3", "0500"},
		{"must-staple", "1.3.6.1.5.5.7.1.24", "3003020105"},
		{"OCSP no check", "1.3.6.1.5.5.7.48.1.5", "0500"},
		{"Microsoft template", "1.3.6.1.4.1.311.21.7", "301106092b0601040182371508020164020105"},
		{"Microsoft template name", "1.3.6.1.4.1.311.20.2", "1e0e00570065006200530072007600 31"},
		{"Microsoft CA version", "1.3.6.1.4.1.311.21.1", "0203010002"},
		{"Microsoft application policies", "1.3.6.1.4.1.311.21.10", "300c300a06082b06010505070302"},
		{"private key usage period", "2.5.29.16", "3022800f32303236303130323033303430355a810f32303237303130323033303430355a"},
		{"inhibit any policy", "2.5.29.54", "020103"},
		{"policy constraints", "2.5.29.36", "3006800100810102"},
		{"policy mappings", "2.5.29.33", "300e300c06032a030406052b06010401"},
		{"qualified statements", "1.3.6.1.5.5.7.1.3", "3027300806060400 8e460101300b06060400 8e46010302010a300e06060400 8e460107300413024445"},
		{"an extension that nobody knows", "1.2.3.4.5", "0c0568656c6c6f"},
		{"bytes that nobody knows", "1.2.3.4.6", "3003020101"},
	} {
		certificate("go: "+one[0], public, func(c *x509.Certificate) {
			value := ""
			for _, char := range one[2] {
				if char != ' ' {
					value += string(char)
				}
			}
			c.ExtraExtensions = []pkix.Extension{extension(one[1], value)}
		})
	}
	small := must(rsa.GenerateKey(rand.Reader, 2048))
	certificate("go: RSA key", small.Public(), func(c *x509.Certificate) {})
	_, edwards, _ := ed25519.GenerateKey(rand.Reader)
	certificate("go: Ed25519 key", edwards.Public(), func(c *x509.Certificate) {})
	certificate("go: P-521 key", must(ecdsa.GenerateKey(elliptic.P521(), rand.Reader)).Public(), func(c *x509.Certificate) {})
	crl := &x509.RevocationList{Number: big.NewInt(4097), ThisUpdate: begin, NextUpdate: end, RevokedCertificateEntries: []x509.RevocationListEntry{
		{SerialNumber: big.NewInt(77), RevocationTime: begin, ReasonCode: 1},
		{SerialNumber: big.NewInt(78), RevocationTime: begin, ExtraExtensions: []pkix.Extension{extension("2.5.29.24", "180f32303235303130323033303430355a")}},
		{SerialNumber: big.NewInt(79), RevocationTime: begin, ReasonCode: 6},
	}}
	show("go: CRL with entries", "X509 CRL", must(x509.CreateRevocationList(rand.Reader, crl, ca, key)))
	scope := "3022a019a0178615" + hex.EncodeToString([]byte("http://crl.test/12345")) + "8101ff83020360"
	crl.ExtraExtensions = []pkix.Extension{{Id: oid("2.5.29.28"), Critical: true, Value: must(hex.DecodeString(scope))}}
	show("go: CRL with a scope", "X509 CRL", must(x509.CreateRevocationList(rand.Reader, crl, ca, key)))
	crl.ExtraExtensions = []pkix.Extension{{Id: oid("2.5.29.27"), Critical: true, Value: []byte{2, 2, 16, 1}}}
	show("go: delta CRL", "X509 CRL", must(x509.CreateRevocationList(rand.Reader, crl, ca, key)))
	request := &x509.CertificateRequest{Subject: pkix.Name{CommonName: "csr.test", Organization: []string{"Go"}}, DNSNames: []string{"csr.test"}, IPAddresses: []net.IP{net.ParseIP("192.0.2.9")}}
	show("go: CSR", "CERTIFICATE REQUEST", must(x509.CreateCertificateRequest(rand.Reader, request, key)))
}
