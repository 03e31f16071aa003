// Verifies chains with Go's standard library: reads one case per line as JSON, prints "ok" or the error for each.
package main

import (
	"bufio"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

type verification struct {
	Leaf, Root    []byte
	Intermediates [][]byte
	Name          string
	At            int64
	Purpose       string
}

func verify(one verification) error {
	leaf, err := x509.ParseCertificate(one.Leaf)
	if err != nil {
		return err
	}
	root, err := x509.ParseCertificate(one.Root)
	if err != nil {
		return err
	}
	roots, intermediates := x509.NewCertPool(), x509.NewCertPool()
	roots.AddCert(root)
	for _, der := range one.Intermediates {
		if certificate, err := x509.ParseCertificate(der); err == nil {
			intermediates.AddCert(certificate)
		}
	}
	usage := map[string]x509.ExtKeyUsage{"serverAuth": x509.ExtKeyUsageServerAuth, "clientAuth": x509.ExtKeyUsageClientAuth}[one.Purpose]
	_, err = leaf.Verify(x509.VerifyOptions{
		DNSName: one.Name, Roots: roots, Intermediates: intermediates,
		CurrentTime: time.Unix(one.At, 0), KeyUsages: []x509.ExtKeyUsage{usage},
	})
	return err
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one verification
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			panic(err)
		}
		if err := verify(one); err != nil {
			fmt.Printf("%q\n", err.Error())
		} else {
			fmt.Println("ok")
		}
	}
}
