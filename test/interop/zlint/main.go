// Prints the findings of zlint for PEM files, one JSON object per line.
package main

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"

	"github.com/zmap/zcrypto/x509"
	"github.com/zmap/zlint/v3"
	"github.com/zmap/zlint/v3/lint"
)

type linted struct {
	File   string   `json:"file"`
	Kind   string   `json:"kind"`
	DER    []byte   `json:"der"`
	Parsed bool     `json:"parsed"`
	Found  []string `json:"found"`
}

func results(kind string, der []byte) (*zlint.ResultSet, error) {
	if kind == "crl" {
		list, err := x509.ParseRevocationList(der)
		if err != nil {
			return nil, err
		}
		return zlint.LintRevocationListEx(list, lint.GlobalRegistry()), nil
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return zlint.LintCertificateEx(certificate, lint.GlobalRegistry()), nil
}

func main() {
	kinds := map[string]string{"CERTIFICATE": "certificate", "X509 CRL": "crl"}
	encoder := json.NewEncoder(os.Stdout)
	for _, file := range os.Args[1:] {
		text, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		block, _ := pem.Decode(text)
		if block == nil || kinds[block.Type] == "" {
			continue
		}
		one := linted{File: filepath.Base(file), Kind: kinds[block.Type], DER: block.Bytes, Found: []string{}}
		found, err := results(one.Kind, one.DER)
		if err != nil {
			fmt.Fprintln(os.Stderr, file, err)
		} else {
			one.Parsed = true
			for name, result := range found.Results {
				if result.Status >= lint.Notice {
					one.Found = append(one.Found, name)
				}
			}
		}
		if err := encoder.Encode(one); err != nil {
			panic(err)
		}
	}
}
