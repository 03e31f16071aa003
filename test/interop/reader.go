// Reads PEM certificates from standard input, each followed by its issuer, and prints their content as parsed by Go's standard library as JSON.
package main

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os"
	"sort"
	"strings"
)

type policy struct {
	Oid    string `json:"oid"`
	Cps    string `json:"cps,omitempty"`
	Notice string `json:"notice,omitempty"`
}
type facts struct {
	Serial     string   `json:"serial"`
	Subject    []string `json:"subject"`
	Issuer     []string `json:"issuer"`
	NotBefore  int64    `json:"notBefore"`
	NotAfter   int64    `json:"notAfter"`
	Signature  string   `json:"signature"`
	Key        string   `json:"key"`
	Verified   bool     `json:"verified"`
	Extensions []string `json:"extensions"`
	Usage      []string `json:"usage"`
	Purposes   []string `json:"purposes"`
	Basic      string   `json:"basic"`
	Ski        string   `json:"ski"`
	Aki        string   `json:"aki"`
	Ocsp       []string `json:"ocsp"`
	Issuers    []string `json:"issuers"`
	Crl        []string `json:"crl"`
	Delta      []string `json:"delta"`
	Names      []string `json:"names"`
	Policies   []policy `json:"policies"`
	Permitted  []string `json:"permitted"`
	Excluded   []string `json:"excluded"`
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func rest(raw []byte, into any, params string) {
	left, err := asn1.UnmarshalWithParams(raw, into, params)
	must(err)
	if len(left) > 0 {
		panic("data behind a value")
	}
}

func name(raw []byte) []string {
	var sequence pkix.RDNSequence
	rest(raw, &sequence, "")
	all := []string{}
	for _, set := range sequence {
		parts := []string{}
		for _, part := range set {
			parts = append(parts, fmt.Sprintf("%s=%v", part.Type, part.Value))
		}
		all = append(all, strings.Join(parts, " + "))
	}
	return all
}

func addressRange(raw []byte) string {
	half := len(raw) / 2
	ones, bits := net.IPMask(raw[half:]).Size()
	if bits == 0 {
		panic("a mask with gaps")
	}
	return fmt.Sprintf("%s/%d", net.IP(raw[:half]), ones)
}

func general(value asn1.RawValue, ranges bool) string {
	switch value.Tag {
	case 0:
		var kind asn1.ObjectIdentifier
		left, err := asn1.Unmarshal(value.Bytes, &kind)
		must(err)
		var text string
		rest(left, &text, "explicit,tag:0,utf8")
		return fmt.Sprintf("other %s %s", kind, text)
	case 1:
		return "email " + string(value.Bytes)
	case 2:
		return "dns " + string(value.Bytes)
	case 4:
		return "directory " + strings.Join(name(value.Bytes), ", ")
	case 6:
		return "uri " + string(value.Bytes)
	case 7:
		if ranges {
			return "ip " + addressRange(value.Bytes)
		}
		return "ip " + net.IP(value.Bytes).String()
	}
	panic(fmt.Sprintf("a name with the tag %d", value.Tag))
}

func names(raw []byte) []string {
	var list []asn1.RawValue
	rest(raw, &list, "")
	all := []string{}
	for _, one := range list {
		all = append(all, general(one, false))
	}
	return all
}

type subtree struct{ Base asn1.RawValue }

func subtrees(list []subtree) []string {
	all := []string{}
	for _, one := range list {
		all = append(all, general(one.Base, true))
	}
	return all
}

type point struct {
	Name struct {
		Full []asn1.RawValue `asn1:"optional,tag:0"`
	} `asn1:"optional,tag:0"`
}

func points(raw []byte) []string {
	var list []point
	rest(raw, &list, "")
	all := []string{}
	for _, one := range list {
		for _, url := range one.Name.Full {
			all = append(all, strings.TrimPrefix(general(url, false), "uri "))
		}
	}
	return all
}

type information struct {
	Policy     asn1.ObjectIdentifier
	Qualifiers []struct {
		Id        asn1.ObjectIdentifier
		Qualifier asn1.RawValue
	} `asn1:"optional"`
}

func policies(raw []byte) []policy {
	var list []information
	rest(raw, &list, "")
	all := []policy{}
	for _, one := range list {
		found := policy{Oid: one.Policy.String()}
		for _, qualifier := range one.Qualifiers {
			if qualifier.Id.String() == "1.3.6.1.5.5.7.2.1" {
				rest(qualifier.Qualifier.FullBytes, &found.Cps, "ia5")
			} else {
				var notice struct {
					Text string `asn1:"utf8"`
				}
				rest(qualifier.Qualifier.FullBytes, &notice, "")
				found.Notice = notice.Text
			}
		}
		all = append(all, found)
	}
	return all
}

var usages = []string{"DigitalSignature", "ContentCommitment", "KeyEncipherment", "DataEncipherment", "KeyAgreement", "CertSign", "CRLSign", "EncipherOnly", "DecipherOnly"}

func read(certificate *x509.Certificate, issuer *x509.Certificate) facts {
	found := facts{
		Serial:    hex.EncodeToString(certificate.SerialNumber.Bytes()),
		Subject:   name(certificate.RawSubject),
		Issuer:    name(certificate.RawIssuer),
		NotBefore: certificate.NotBefore.Unix(),
		NotAfter:  certificate.NotAfter.Unix(),
		Signature: certificate.SignatureAlgorithm.String(),
		Verified:  issuer.CheckSignature(certificate.SignatureAlgorithm, certificate.RawTBSCertificate, certificate.Signature) == nil,
		Ski:       hex.EncodeToString(certificate.SubjectKeyId),
		Aki:       hex.EncodeToString(certificate.AuthorityKeyId),
		Ocsp:      append([]string{}, certificate.OCSPServer...),
		Issuers:   append([]string{}, certificate.IssuingCertificateURL...),
		Crl:       append([]string{}, certificate.CRLDistributionPoints...),
		Usage:     []string{}, Purposes: []string{}, Delta: []string{}, Names: []string{}, Policies: []policy{}, Permitted: []string{}, Excluded: []string{},
		Extensions: []string{},
	}
	switch key := certificate.PublicKey.(type) {
	case *rsa.PublicKey:
		found.Key = fmt.Sprintf("rsa %d", key.N.BitLen())
	case *ecdsa.PublicKey:
		found.Key = fmt.Sprintf("ec %d", key.Curve.Params().BitSize)
	case ed25519.PublicKey:
		found.Key = "ed25519"
	}
	for bit, usage := range usages {
		if certificate.KeyUsage&(1<<bit) != 0 {
			found.Usage = append(found.Usage, usage)
		}
	}
	for _, extension := range certificate.Extensions {
		flag := ""
		if extension.Critical {
			flag = " critical"
		}
		found.Extensions = append(found.Extensions, extension.Id.String()+flag)
		switch extension.Id.String() {
		case "2.5.29.37":
			var list []asn1.ObjectIdentifier
			rest(extension.Value, &list, "")
			for _, one := range list {
				found.Purposes = append(found.Purposes, one.String())
			}
		case "2.5.29.17":
			found.Names = names(extension.Value)
		case "2.5.29.46":
			found.Delta = points(extension.Value)
		case "2.5.29.32":
			found.Policies = policies(extension.Value)
		case "2.5.29.30":
			var constraints struct {
				Permitted []subtree `asn1:"optional,tag:0"`
				Excluded  []subtree `asn1:"optional,tag:1"`
			}
			rest(extension.Value, &constraints, "")
			found.Permitted, found.Excluded = subtrees(constraints.Permitted), subtrees(constraints.Excluded)
			matches(certificate, found)
		}
	}
	if certificate.BasicConstraintsValid {
		found.Basic = fmt.Sprintf("ca %t", certificate.IsCA)
		if certificate.IsCA && (certificate.MaxPathLen > 0 || certificate.MaxPathLenZero) {
			found.Basic += fmt.Sprintf(" %d", certificate.MaxPathLen)
		}
	}
	return found
}

// The constraints as parsed by the library must equal those that were read above.
func matches(certificate *x509.Certificate, found facts) {
	all := func(dns []string, ip []*net.IPNet, email []string, uri []string) []string {
		list := []string{}
		for _, one := range dns {
			list = append(list, "dns "+one)
		}
		for _, one := range ip {
			list = append(list, "ip "+one.String())
		}
		for _, one := range email {
			list = append(list, "email "+one)
		}
		for _, one := range uri {
			list = append(list, "uri "+one)
		}
		sort.Strings(list)
		return list
	}
	permitted := all(certificate.PermittedDNSDomains, certificate.PermittedIPRanges, certificate.PermittedEmailAddresses, certificate.PermittedURIDomains)
	excluded := all(certificate.ExcludedDNSDomains, certificate.ExcludedIPRanges, certificate.ExcludedEmailAddresses, certificate.ExcludedURIDomains)
	ours := append([]string{}, found.Permitted...)
	sort.Strings(ours)
	theirs := append([]string{}, found.Excluded...)
	sort.Strings(theirs)
	if fmt.Sprint(permitted, excluded) != fmt.Sprint(ours, theirs) {
		panic(fmt.Sprint("constraints read in two ways: ", permitted, ours, excluded, theirs))
	}
}

func main() {
	input, err := io.ReadAll(os.Stdin)
	must(err)
	all := []*x509.Certificate{}
	for block, left := pem.Decode(input); block != nil; block, left = pem.Decode(left) {
		certificate, err := x509.ParseCertificate(block.Bytes)
		must(err)
		all = append(all, certificate)
	}
	list := []facts{}
	for i := 0; i+1 < len(all); i += 2 {
		list = append(list, read(all[i], all[i+1]))
	}
	must(json.NewEncoder(os.Stdout).Encode(list))
}
