// Queries an OCSP responder, whose host and path are the arguments, for PEM certificates from standard input, each followed by its issuer: with POST and GET, SHA-1 and SHA-256.
// Verifies the responses with Go's standard library and prints a line for each: the status and the signer.
package main

import (
	"bytes"
	"crypto"
	"crypto/rand"
	_ "crypto/sha1"
	_ "crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"time"
)

type certID struct {
	Hash     pkix.AlgorithmIdentifier
	NameHash []byte
	KeyHash  []byte
	Serial   *big.Int
}
type single struct {
	ID         certID
	Good       asn1.Flag   `asn1:"tag:0,optional"`
	Revoked    revokedInfo `asn1:"tag:1,optional"`
	Unknown    asn1.Flag   `asn1:"tag:2,optional"`
	ThisUpdate time.Time   `asn1:"generalized"`
	NextUpdate time.Time   `asn1:"generalized,explicit,tag:0,optional"`
}
type revokedInfo struct {
	At     time.Time       `asn1:"generalized"`
	Reason asn1.Enumerated `asn1:"explicit,tag:0,optional"`
}
type responseData struct {
	Raw        asn1.RawContent
	Responder  asn1.RawValue
	ProducedAt time.Time `asn1:"generalized"`
	Responses  []single
	Extensions []pkix.Extension `asn1:"explicit,tag:1,optional"`
}
type basicResponse struct {
	Data         responseData
	Algorithm    pkix.AlgorithmIdentifier
	Signature    asn1.BitString
	Certificates []asn1.RawValue `asn1:"explicit,tag:0,optional"`
}
type response struct {
	Status asn1.Enumerated
	Bytes  struct {
		Type asn1.ObjectIdentifier
		DER  []byte
	} `asn1:"explicit,tag:0,optional"`
}
type request struct {
	TBS struct {
		List       []struct{ ID certID }
		Extensions []pkix.Extension `asn1:"explicit,tag:2,optional"`
	}
}

var nonceOid = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 2}
var noCheck = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 5}
var hashes = []struct {
	hash crypto.Hash
	oid  asn1.ObjectIdentifier
}{
	{crypto.SHA1, asn1.ObjectIdentifier{1, 3, 14, 3, 2, 26}},
	{crypto.SHA256, asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}},
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
func demand(holds bool, what string) {
	if !holds {
		panic(what)
	}
}
func sum(hash crypto.Hash, data []byte) []byte {
	h := hash.New()
	h.Write(data)
	return h.Sum(nil)
}

func idOf(hash crypto.Hash, oid asn1.ObjectIdentifier, cert, issuer *x509.Certificate) certID {
	var spki struct {
		Algorithm pkix.AlgorithmIdentifier
		Key       asn1.BitString
	}
	must(asn1.Unmarshal(issuer.RawSubjectPublicKeyInfo, &spki))
	algorithm := pkix.AlgorithmIdentifier{Algorithm: oid, Parameters: asn1.NullRawValue}
	return certID{algorithm, sum(hash, issuer.RawSubject), sum(hash, spki.Key.Bytes), cert.SerialNumber}
}

// The algorithm of a response, as in a certificate with the same identifier.
func algorithmOf(signer *x509.Certificate, signature pkix.AlgorithmIdentifier) x509.SignatureAlgorithm {
	names := map[string]x509.SignatureAlgorithm{
		"1.2.840.113549.1.1.11": x509.SHA256WithRSA,
		"1.2.840.10045.4.3.2":   x509.ECDSAWithSHA256,
		"1.2.840.10045.4.3.3":   x509.ECDSAWithSHA384,
		"1.3.101.112":           x509.PureEd25519,
	}
	return names[signature.Algorithm.String()]
}

func judge(der []byte, asked certID, nonce []byte, issuer *x509.Certificate) string {
	var outer response
	left := must(asn1.Unmarshal(der, &outer))
	demand(len(left) == 0 && outer.Status == 0, "a successful answer and nothing behind it")
	var basic basicResponse
	left = must(asn1.Unmarshal(outer.Bytes.DER, &basic))
	demand(len(left) == 0, "nothing behind the answer")
	signer, by := issuer, "issuer"
	if len(basic.Certificates) > 0 {
		signer, by = must(x509.ParseCertificate(basic.Certificates[0].FullBytes)), "responder"
		roots := x509.NewCertPool()
		roots.AddCert(issuer)
		purpose := []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning}
		must(signer.Verify(x509.VerifyOptions{Roots: roots, KeyUsages: purpose}))
		demand(len(signer.ExtKeyUsage) == 1 && signer.ExtKeyUsage[0] == purpose[0], "the one purpose")
		found := false
		for _, extension := range signer.Extensions {
			found = found || extension.Id.Equal(noCheck)
		}
		demand(found && !signer.IsCA, "nocheck, and no CA")
		demand(basic.Data.Responder.Tag == 2, "the responder by its key")
	} else {
		demand(basic.Data.Responder.Tag == 1, "the issuer by its name")
		demand(bytes.Equal(basic.Data.Responder.Bytes, issuer.RawSubject), "the issuer's own name")
	}
	err := signer.CheckSignature(algorithmOf(signer, basic.Algorithm), basic.Data.Raw, basic.Signature.Bytes)
	demand(err == nil, "a signature that holds")
	demand(len(basic.Data.Responses) == 1, "one answer")
	answer := basic.Data.Responses[0]
	demand(bytes.Equal(must(asn1.Marshal(answer.ID)), must(asn1.Marshal(asked))), "the CertID asked for")
	now := time.Now().Add(time.Second)
	demand(!answer.ThisUpdate.After(now) && answer.NextUpdate.After(now), "an answer of now")
	if nonce != nil {
		demand(len(basic.Data.Extensions) == 1 && bytes.Equal(basic.Data.Extensions[0].Value, nonce), "the nonce")
	} else {
		demand(len(basic.Data.Extensions) == 0, "no nonce")
	}
	switch {
	case bool(answer.Good):
		return "good " + by
	case !answer.Revoked.At.IsZero():
		return fmt.Sprintf("revoked %d %s", answer.Revoked.Reason, by)
	}
	return "unknown " + by
}

// One HTTP/1.0 request; the package net/http takes half a minute to compile.
func call(host, head string, body []byte) []byte {
	conn := must(net.Dial("tcp", host))
	defer conn.Close()
	must(conn.Write(append([]byte(head+" HTTP/1.0\r\nHost: "+host+"\r\nContent-Type: application/ocsp-request\r\n"+
		fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body))), body...)))
	all := must(io.ReadAll(conn))
	top, answer, whole := bytes.Cut(all, []byte("\r\n\r\n"))
	demand(whole && bytes.Contains(top[:16], []byte(" 200")), string(all))
	demand(bytes.Contains(bytes.ToLower(top), []byte("content-type: application/ocsp-response")), "the media type")
	return answer
}

func main() {
	host, path := os.Args[1], os.Args[2]
	input := must(io.ReadAll(os.Stdin))
	var all []*x509.Certificate
	for block, rest := pem.Decode(input); block != nil; block, rest = pem.Decode(rest) {
		all = append(all, must(x509.ParseCertificate(block.Bytes)))
	}
	for i := 0; i+1 < len(all); i += 2 {
		cert, issuer := all[i], all[i+1]
		for _, kind := range hashes {
			id := idOf(kind.hash, kind.oid, cert, issuer)
			var ask request
			ask.TBS.List = []struct{ ID certID }{{id}}
			der := must(asn1.Marshal(ask))
			got := call(host, "GET "+path+"/"+base64.StdEncoding.EncodeToString(der), nil)
			fmt.Println(judge(got, id, nil, issuer))
			random := make([]byte, 32)
			must(rand.Read(random))
			nonce := must(asn1.Marshal(random))
			ask.TBS.Extensions = []pkix.Extension{{Id: nonceOid, Value: nonce}}
			der = must(asn1.Marshal(ask))
			posted := call(host, "POST "+path, der)
			fmt.Println(judge(posted, id, nonce, issuer))
		}
	}
}
