// Enrols with an EST server: est <host:port> <label> <CA file> <user> <password> <common name>.
// Reads the CA certificates and CSR attributes, enrols with name and password, re-enrols with the
// certificate, and tries requests that must be rejected. Prints the results.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/globalsign/est"
)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	return value
}

func request(name string, key *ecdsa.PrivateKey) *x509.CertificateRequest {
	template := &x509.CertificateRequest{
		Subject:  pkix.Name{CommonName: name},
		DNSNames: []string{name},
	}
	der := must(x509.CreateCertificateRequest(rand.Reader, template, key))
	return must(x509.ParseCertificateRequest(der))
}

// Returns the status with which an operation was rejected.
func status(err error) int {
	var refused est.Error
	if errors.As(err, &refused) {
		return refused.StatusCode()
	}
	fmt.Println("failed: not refused, but", err)
	os.Exit(1)
	return 0
}

func main() {
	host, label, file, user, password, name :=
		os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5], os.Args[6]
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(must(os.ReadFile(file)))
	open := est.Client{Host: host, AdditionalPathSegment: label, ExplicitAnchor: roots}

	certificates := must(open.CACerts(ctx))
	trust, between := x509.NewCertPool(), x509.NewCertPool()
	for _, certificate := range certificates {
		fmt.Println("cacerts", certificate.Subject)
		if certificate.Subject.String() == certificate.Issuer.String() {
			trust.AddCert(certificate)
		} else {
			between.AddCert(certificate)
		}
	}
	attributes := must(open.CSRAttrs(ctx))
	fmt.Println("csrattrs", len(attributes.OIDs), len(attributes.Attributes))

	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	_, err := open.Enroll(ctx, request(name, key))
	fmt.Println("nobody", status(err))
	wrong := open
	wrong.Username, wrong.Password = user, "no "+password
	_, err = wrong.Enroll(ctx, request(name, key))
	fmt.Println("wrong password", status(err))

	known := open
	known.Username, known.Password = user, password
	leaf := must(known.Enroll(ctx, request(name, key)))
	fmt.Println("enrolled", leaf.Subject, leaf.DNSNames)
	options := x509.VerifyOptions{
		Roots:         trust,
		Intermediates: between,
		KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	}
	must(leaf.Verify(options))

	holder := open
	holder.Certificates = append([]*x509.Certificate{leaf}, certificates...)
	holder.PrivateKey = key
	next := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	again := must(holder.Reenroll(ctx, request(name, next)))
	must(again.Verify(options))
	fmt.Println("enrolled again", again.Subject, again.SerialNumber.Cmp(leaf.SerialNumber) != 0)
	_, err = holder.Reenroll(ctx, request("other."+name, next))
	fmt.Println("other names", status(err))
	_, _, err = known.ServerKeyGen(ctx, request(name, next))
	fmt.Println("server's keys", status(err))
	fmt.Println("done")
}
