// Reads PEM from standard input, each CRL after the certificate of its issuer, and prints the CRLs as parsed by Go's standard library as JSON.
package main

import (
	"crypto/x509"
	"encoding/asn1"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"io"
	"os"
)

type entry struct {
	Serial string `json:"serial"`
	At     int64  `json:"at"`
	Reason int    `json:"reason"`
}
type list struct {
	Number     string   `json:"number"`
	Signed     bool     `json:"signed"`
	ThisUpdate int64    `json:"thisUpdate"`
	NextUpdate int64    `json:"nextUpdate"`
	Extensions []string `json:"extensions"`
	Entries    []entry  `json:"entries"`
	// Names of the issuing distribution point.
	Points []string `json:"points"`
}

// IssuingDistributionPoint, reduced to its names.
type issuingPoint struct {
	Point struct {
		FullName []asn1.RawValue `asn1:"optional,tag:0"`
	} `asn1:"optional,tag:0"`
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	input, err := io.ReadAll(os.Stdin)
	must(err)
	lists := []list{}
	var issuer *x509.Certificate
	for block, left := pem.Decode(input); block != nil; block, left = pem.Decode(left) {
		if block.Type == "CERTIFICATE" {
			issuer, err = x509.ParseCertificate(block.Bytes)
			must(err)
			continue
		}
		read, err := x509.ParseRevocationList(block.Bytes)
		must(err)
		found := list{
			Number:     read.Number.String(),
			Signed:     read.CheckSignatureFrom(issuer) == nil,
			ThisUpdate: read.ThisUpdate.Unix(),
			NextUpdate: read.NextUpdate.Unix(),
			Extensions: []string{},
			Entries:    []entry{},
		}
		for _, extension := range read.Extensions {
			flag := ""
			if extension.Critical {
				flag = " critical"
			}
			found.Extensions = append(found.Extensions, extension.Id.String()+flag)
			if extension.Id.String() != "2.5.29.28" {
				continue
			}
			var point issuingPoint
			_, err := asn1.Unmarshal(extension.Value, &point)
			must(err)
			for _, name := range point.Point.FullName {
				found.Points = append(found.Points, string(name.Bytes))
			}
		}
		for _, one := range read.RevokedCertificateEntries {
			found.Entries = append(found.Entries, entry{hex.EncodeToString(one.SerialNumber.Bytes()), one.RevocationTime.Unix(), one.ReasonCode})
		}
		lists = append(lists, found)
	}
	must(json.NewEncoder(os.Stdout).Encode(lists))
}
