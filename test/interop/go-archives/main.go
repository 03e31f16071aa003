// Reads PKCS#12 archives, each given as "file:password:what" where what is "key" or "trust", and prints a
// line for each: the names in its certificates, in order. Fails if a key does not belong to its certificate.
package main

import (
	"crypto"
	"crypto/x509"
	"fmt"
	"os"
	"strings"

	"software.sslmate.com/src/go-pkcs12"
)

func names(certificates []*x509.Certificate) string {
	all := make([]string, len(certificates))
	for i, certificate := range certificates {
		all[i] = certificate.Subject.CommonName
	}
	return strings.Join(all, ", ")
}

func read(file, password, what string) (string, error) {
	bytes, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if what == "trust" {
		certificates, err := pkcs12.DecodeTrustStore(bytes, password)
		return names(certificates), err
	}
	key, certificate, chain, err := pkcs12.DecodeChain(bytes, password)
	if err != nil {
		return "", err
	}
	type comparable interface{ Equal(crypto.PublicKey) bool }
	public := key.(crypto.Signer).Public().(comparable)
	if !public.Equal(certificate.PublicKey) {
		return "", fmt.Errorf("the key is not that of the certificate")
	}
	return names(append([]*x509.Certificate{certificate}, chain...)), nil
}

func main() {
	for _, asked := range os.Args[1:] {
		part := strings.Split(asked, ":")
		told, err := read(part[0], part[1], part[2])
		if err != nil {
			fmt.Printf("refused: %s\n", err)
			continue
		}
		fmt.Println(told)
	}
}
