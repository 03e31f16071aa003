// Uses the Go SDK of this API family as programs do, against an authority that was just started,
// and prints a line for each step that succeeded. Argument: its URL; BAO_TOKEN is the root token.
// Also uses a policy service at POLICY_URL, and a signing service at SIGNING_URL that has a key
// "remote" for SIGNING_TOKEN, if they are given; both have certificates of the CA SERVICES_CA.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/openbao/openbao/api/v2"
)

var ctx, _ = context.WithTimeout(context.Background(), 90*time.Second)

func check(what string, err error) {
	if err != nil {
		fmt.Printf("%s: %v\n", what, err)
		os.Exit(1)
	}
	fmt.Println(what)
}
func must[T any](what string) func(T, error) T {
	return func(value T, err error) T {
		check(what, err)
		return value
	}
}
func is(what string, holds bool, seen ...any) {
	if !holds {
		fmt.Printf("%s: not so: %v\n", what, seen)
		os.Exit(1)
	}
	fmt.Println(what)
}

// Checks that a call is rejected with a status and a text.
func refused(what string, err error, status int, text string) {
	var answer *api.ResponseError
	if !errors.As(err, &answer) {
		fmt.Printf("%s: no refusal: %v\n", what, err)
		os.Exit(1)
	}
	is(what, answer.StatusCode == status && strings.Contains(answer.Error(), text), answer.Error())
}

func newClient(address, token string) *api.Client {
	config := api.DefaultConfig()
	config.Address = address
	client, err := api.NewClient(config)
	if err != nil {
		panic(err)
	}
	client.SetToken(token)
	return client
}

func write(client *api.Client, path string, data map[string]any) *api.Secret {
	return must[*api.Secret]("write " + path)(client.Logical().WriteWithContext(ctx, path, data))
}

const policy = `
# what the service may do
path "pki/issue/web" { capabilities = ["update"] }
path "pki/cert/*" {
  capabilities = ["read"]
}
path "sys/leases/revoke" { capabilities = ["update"] }
`

func main() {
	root := newClient(os.Args[1], os.Getenv("BAO_TOKEN"))
	status(root)
	mounts(root)
	engine(root)
	policies(root)
	tokens(root)
	leases(root)
	wrapping(root)
	logins(root)
	system(root)
	if os.Getenv("POLICY_URL") != "" {
		managed(root)
		external(root)
	}
	fmt.Println("done")
}

func status(root *api.Client) {
	health := must[*api.HealthResponse]("health")(root.Sys().HealthWithContext(ctx))
	is("initialised and open", health.Initialized && !health.Sealed, health)
	seal := must[*api.SealStatusResponse]("seal status")(root.Sys().SealStatusWithContext(ctx))
	is("seal status has a version", !seal.Sealed && seal.Version != "", seal)
	is("initialised", must[bool]("init status")(root.Sys().InitStatusWithContext(ctx)))
	leader := must[*api.LeaderResponse]("leader")(root.Sys().LeaderWithContext(ctx))
	is("leads itself", leader.IsSelf || !leader.HAEnabled, leader)
	_, err := root.Sys().InitWithContext(ctx, &api.InitRequest{SecretShares: 1, SecretThreshold: 1})
	refused("cannot be initialised twice", err, 400, "already initialized")
}

func mounts(root *api.Client) {
	check("mount", root.Sys().MountWithContext(ctx, "sdk", &api.MountInput{
		Type: "pki", Description: "of the SDK",
		Config: api.MountConfigInput{DefaultLeaseTTL: "1h", MaxLeaseTTL: "24h"},
	}))
	refused("a path is used once", root.Sys().MountWithContext(ctx, "sdk", &api.MountInput{Type: "pki"}),
		400, "path is already in use at sdk/")
	listed := must[map[string]*api.MountOutput]("list mounts")(root.Sys().ListMountsWithContext(ctx))
	is("listed", listed["sdk/"] != nil && listed["sdk/"].Type == "pki" && listed["cubbyhole/"] != nil, listed)
	info := must[*api.MountOutput]("mount info")(root.Sys().MountInfoWithContext(ctx, "sdk"))
	is("seconds", info.Config.MaxLeaseTTL == 86400, info)
	check("tune", root.Sys().TuneMountWithContext(ctx, "sdk", api.MountConfigInput{MaxLeaseTTL: "48h"}))
	config := must[*api.MountConfigOutput]("tune is read")(root.Sys().MountConfigWithContext(ctx, "sdk"))
	is("tuned", config.MaxLeaseTTL == 172800, config)
	check("remount", root.Sys().RemountWithContext(ctx, "sdk", "moved"))
	must[*api.MountOutput]("is where it was moved to")(root.Sys().MountInfoWithContext(ctx, "moved"))
	check("unmount", root.Sys().UnmountWithContext(ctx, "moved"))
}

func engine(root *api.Client) {
	ca := write(root, "pki/root/generate/internal", map[string]any{
		"common_name": "SDK Root", "ttl": "8760h", "key_type": "ec"})
	is("a certificate", strings.HasPrefix(ca.Data["certificate"].(string), "-----BEGIN"))
	write(root, "pki/roles/web", map[string]any{
		"allowed_domains": "sdk.test", "allow_subdomains": true, "max_ttl": "72h", "key_type": "ec", "generate_lease": true})
	list := must[*api.Secret]("list roles")(root.Logical().ListWithContext(ctx, "pki/roles"))
	is("the role", fmt.Sprint(list.Data["keys"]) == "[web]", list.Data)
	none := must[*api.Secret]("list of nothing")(root.Logical().ListWithContext(ctx, "pki/acme/eab/x"))
	is("nothing", none == nil)
	raw, err := root.Logical().ReadRawWithContext(ctx, "pki/ca/pem")
	check("raw read", err)
	is("raw PEM", raw.StatusCode == http.StatusOK)
	raw.Body.Close()
	patched := must[*api.Secret]("patch")(root.Logical().JSONMergePatch(ctx, "pki/roles/web", map[string]any{"ttl": "2h"}))
	is("patched", fmt.Sprint(patched.Data["ttl"]) == "7200", patched.Data)
}

func policies(root *api.Client) {
	check("write a policy", root.Sys().PutPolicyWithContext(ctx, "Service", policy))
	is("its text", must[string]("read a policy")(root.Sys().GetPolicyWithContext(ctx, "service")) == policy)
	names := must[[]string]("list policies")(root.Sys().ListPoliciesWithContext(ctx))
	sort.Strings(names)
	is("with the ready ones", strings.Contains(strings.Join(names, " "), "acme-eab default pki-admin pki-user root service"), names)
	refused("a policy that cannot be read", root.Sys().PutPolicyWithContext(ctx, "bad", "path \"x\" {\n  capabilities = [\"fly\"]\n}"),
		400, "failed to parse policy")
	refused("root stays", root.Sys().DeletePolicyWithContext(ctx, "root"), 400, "cannot delete \"root\" policy")
	capabilities := must[[]string]("capabilities")(root.Sys().CapabilitiesSelfWithContext(ctx, "pki/issue/web"))
	is("root", fmt.Sprint(capabilities) == "[root]", capabilities)
}

func tokens(root *api.Client) {
	renewable := true
	made := must[*api.Secret]("make a token")(root.Auth().Token().CreateWithContext(ctx, &api.TokenCreateRequest{
		Policies: []string{"service"}, TTL: "1h", DisplayName: "sdk", Metadata: map[string]string{"team": "a"}, Renewable: &renewable}))
	is("for an hour", made.Auth.LeaseDuration == 3600 && made.Auth.Renewable && fmt.Sprint(made.Auth.Policies) == "[default service]", made.Auth)
	service := newClient(os.Args[1], made.Auth.ClientToken)
	self := must[*api.Secret]("look itself up")(service.Auth().Token().LookupSelfWithContext(ctx))
	is("by its name", self.Data["display_name"] == "token-sdk" && self.Data["accessor"] == made.Auth.Accessor, self.Data)
	is("policies of a secret", fmt.Sprint(must[[]string]("token policies")(self.TokenPolicies())) == "[default service]")
	capabilities := must[[]string]("capabilities")(service.Sys().CapabilitiesSelfWithContext(ctx, "pki/issue/web"))
	is("may update", fmt.Sprint(capabilities) == "[update]", capabilities)
	capabilities = must[[]string]("capabilities of another")(root.Sys().CapabilitiesWithContext(ctx, made.Auth.ClientToken, "pki/roles/web"))
	is("may not", fmt.Sprint(capabilities) == "[deny]", capabilities)
	write(service, "pki/issue/web", map[string]any{"common_name": "a.sdk.test"})
	_, err := service.Logical().ReadWithContext(ctx, "pki/roles/web")
	refused("what no policy grants", err, 403, "permission denied")
	renewed := must[*api.Secret]("renew itself")(service.Auth().Token().RenewSelfWithContext(ctx, 7200))
	is("for two hours", renewed.Auth.LeaseDuration == 7200, renewed.Auth)
	byAccessor := must[*api.Secret]("look up by accessor")(root.Auth().Token().LookupAccessorWithContext(ctx, made.Auth.Accessor))
	is("without the token", byAccessor.Data["id"] == "", byAccessor.Data)
	batch := must[*api.Secret]("make a batch token")(root.Auth().Token().CreateOrphanWithContext(ctx, &api.TokenCreateRequest{
		Policies: []string{"service"}, TTL: "1h", Type: "batch"}))
	write(newClient(os.Args[1], batch.Auth.ClientToken), "pki/issue/web", map[string]any{"common_name": "b.sdk.test"})
	watch(service, renewed)
	check("revoke by accessor", root.Auth().Token().RevokeAccessorWithContext(ctx, made.Auth.Accessor))
	_, err = service.Auth().Token().LookupSelfWithContext(ctx)
	refused("a token that is revoked", err, 403, "invalid token")
	write(root, "auth/token/roles/builder", map[string]any{"allowed_policies": "service", "orphan": true, "token_period": "1h"})
	ofRole := must[*api.Secret]("make one by a role")(root.Auth().Token().CreateWithRoleWithContext(ctx, &api.TokenCreateRequest{}, "builder"))
	is("an orphan", ofRole.Auth.Orphan && ofRole.Auth.LeaseDuration == 3600, ofRole.Auth)
}

// The lifetime watcher renews immediately when it starts.
func watch(client *api.Client, secret *api.Secret) {
	watcher, err := client.NewLifetimeWatcher(&api.LifetimeWatcherInput{Secret: secret})
	check("watch a lifetime", err)
	go watcher.Start()
	defer watcher.Stop()
	select {
	case <-watcher.RenewCh():
		fmt.Println("renewed by the watcher")
	case err := <-watcher.DoneCh():
		check("the watcher ended", fmt.Errorf("%v", err))
	case <-ctx.Done():
		check("the watcher", ctx.Err())
	}
}

func leases(root *api.Client) {
	issued := write(root, "pki/issue/web", map[string]any{"common_name": "lease.sdk.test"})
	is("with a lease", strings.HasPrefix(issued.LeaseID, "pki/issue/web/") && issued.LeaseDuration > 0, issued.LeaseID)
	found := must[*api.Secret]("look a lease up")(root.Sys().LookupWithContext(ctx, issued.LeaseID))
	is("the lease", found.Data["id"] == issued.LeaseID && found.Data["renewable"] == false, found.Data)
	_, err := root.Sys().RenewWithContext(ctx, issued.LeaseID, 60)
	refused("certificates are not renewed", err, 400, "lease is not renewable")
	check("revoke a lease", root.Sys().RevokeWithOptionsWithContext(ctx, &api.RevokeOptions{LeaseID: issued.LeaseID, Sync: true}))
	cert := must[*api.Secret]("read the certificate")(root.Logical().ReadWithContext(ctx, "pki/cert/"+issued.Data["serial_number"].(string)))
	is("revoked", fmt.Sprint(cert.Data["revocation_time"]) != "0", cert.Data["revocation_time"])
	_, err = root.Sys().LookupWithContext(ctx, issued.LeaseID)
	refused("no lease any more", err, 400, "invalid lease")
	check("revoke a prefix", root.Sys().RevokePrefixWithContext(ctx, "pki/issue/web"))
}

func wrapping(root *api.Client) {
	wrapped, err := root.Clone()
	check("clone", err)
	wrapped.SetToken(root.Token())
	wrapped.SetWrappingLookupFunc(func(string, string) string { return "5m" })
	secret := must[*api.Secret]("a wrapped token")(wrapped.Auth().Token().CreateWithContext(ctx, &api.TokenCreateRequest{Policies: []string{"service"}}))
	is("wrapped", secret.WrapInfo != nil && secret.WrapInfo.TTL == 300 && secret.WrapInfo.WrappedAccessor != "", secret.WrapInfo)
	inner := must[*api.Secret]("unwrap")(root.Logical().UnwrapWithContext(ctx, secret.WrapInfo.Token))
	is("the token", inner.Auth != nil && inner.Auth.Accessor == secret.WrapInfo.WrappedAccessor, inner)
	_, err = root.Logical().UnwrapWithContext(ctx, secret.WrapInfo.Token)
	refused("once", err, 400, "wrapping token is not valid or does not exist")
	service := newClient(os.Args[1], inner.Auth.ClientToken)
	write(service, "cubbyhole/note", map[string]any{"text": "mine"})
	note := must[*api.Secret]("read a cubbyhole")(service.Logical().ReadWithContext(ctx, "cubbyhole/note"))
	is("its own", note.Data["text"] == "mine", note.Data)
}

func logins(root *api.Client) {
	check("enable approle", root.Sys().EnableAuthWithOptionsWithContext(ctx, "approle", &api.EnableAuthOptions{Type: "approle"}))
	check("enable userpass", root.Sys().EnableAuthWithOptionsWithContext(ctx, "people", &api.EnableAuthOptions{Type: "userpass"}))
	methods := must[map[string]*api.AuthMount]("list methods")(root.Sys().ListAuthWithContext(ctx))
	is("with token", methods["token/"] != nil && methods["approle/"].Type == "approle" && methods["people/"].Type == "userpass", methods)
	write(root, "auth/approle/role/service", map[string]any{"token_policies": "service", "token_ttl": "20m", "secret_id_num_uses": 1})
	id := must[*api.Secret]("role id")(root.Logical().ReadWithContext(ctx, "auth/approle/role/service/role-id"))
	secretID := write(root, "auth/approle/role/service/secret-id", map[string]any{"metadata": `{"host":"a"}`})
	login := map[string]any{"role_id": id.Data["role_id"], "secret_id": secretID.Data["secret_id"]}
	anyone := newClient(os.Args[1], "")
	in := write(anyone, "auth/approle/login", login)
	is("for twenty minutes", in.Auth.LeaseDuration == 1200 && in.Auth.Metadata["role_name"] == "service" && in.Auth.Metadata["host"] == "a", in.Auth)
	_, err := anyone.Logical().WriteWithContext(ctx, "auth/approle/login", login)
	refused("a secret id of one use", err, 400, "invalid role or secret ID")
	write(root, "auth/people/users/ann", map[string]any{"password": "a password of ann", "token_policies": "service"})
	in = write(anyone, "auth/people/login/ann", map[string]any{"password": "a password of ann"})
	is("as ann", in.Auth.Metadata["username"] == "ann" && in.Auth.EntityID != "", in.Auth)
	_, err = anyone.Logical().WriteWithContext(ctx, "auth/people/login/ann", map[string]any{"password": "another"})
	refused("a wrong password", err, 400, "invalid username or password")
	ann := newClient(os.Args[1], in.Auth.ClientToken)
	check("revoke itself", ann.Auth().Token().RevokeSelfWithContext(ctx, ""))
	_, err = ann.Logical().WriteWithContext(ctx, "pki/issue/web", map[string]any{"common_name": "c.sdk.test"})
	refused("a token that revoked itself", err, 403, "permission denied")
	check("disable", root.Sys().DisableAuthWithContext(ctx, "people"))
}

func system(root *api.Client) {
	check("cors", root.Sys().ConfigureCORSWithContext(ctx, &api.CORSRequest{AllowedOrigins: []string{"https://console.sdk.test"}}))
	cors := must[*api.CORSResponse]("cors is read")(root.Sys().CORSStatusWithContext(ctx))
	is("allowed", cors.Enabled && strings.Contains(fmt.Sprint(cors.AllowedOrigins), "https://console.sdk.test"), fmt.Sprintf("%+v", *cors))
	check("cors off", root.Sys().DisableCORSWithContext(ctx))
	must[map[string]*api.Audit]("list audit")(root.Sys().ListAuditWithContext(ctx))
	must[*api.ListPluginsResponse]("list plugins")(root.Sys().ListPluginsWithContext(ctx, &api.ListPluginsInput{}))
	must[*api.Secret]("help")(root.Logical().ReadWithContext(ctx, "sys/internal/ui/mounts"))
	help, err := root.HelpWithContext(ctx, "pki/issue/web")
	check("help of a path", err)
	is("help", help.Help != "", help)
}

func certificate(secret *api.Secret) *x509.Certificate {
	block, _ := pem.Decode([]byte(secret.Data["certificate"].(string)))
	return must[*x509.Certificate]("a certificate that Go reads")(x509.ParseCertificate(block.Bytes))
}

func managed(root *api.Client) {
	key := "sys/managed-keys/https/remote"
	write(root, key, map[string]any{
		"url": os.Getenv("SIGNING_URL"), "token": os.Getenv("SIGNING_TOKEN"),
		"trusted_ca": os.Getenv("SERVICES_CA"), "message_type": "raw"})
	list := must[*api.Secret]("list managed keys")(root.Logical().ListWithContext(ctx, "sys/managed-keys/https"))
	is("the key", fmt.Sprint(list.Data["keys"]) == "[remote]", list.Data)
	read := must[*api.Secret]("read it")(root.Logical().ReadWithContext(ctx, key))
	is("without its secrets", read.Data["token"] == "redacted" && read.Data["UUID"] != "", read.Data)
	tested := write(root, key+"/test/sign", map[string]any{})
	is("signs", fmt.Sprint(tested.Data["signature_algorithm"]) == "ECDSAWithSHA256", tested.Data)
	check("mount for it", root.Sys().MountWithContext(ctx, "kept", &api.MountInput{Type: "pki"}))
	ask := map[string]any{"managed_key_name": "remote", "common_name": "Kept Root", "ttl": "8760h"}
	_, err := root.Logical().WriteWithContext(ctx, "kept/root/generate/kms", ask)
	refused("a key that the mount may not use", err, 400, "allowed_managed_keys")
	write(root, "sys/mounts/kept/tune", map[string]any{"allowed_managed_keys": []string{"remote"}})
	_, err = root.Logical().WriteWithContext(ctx, "kept/root/generate/kms", map[string]any{
		"managed_key_name": "remote", "key_type": "ec", "common_name": "Kept Root"})
	refused("a type beside a managed key", err, 400, "key_type")
	ca := certificate(write(root, "kept/root/generate/kms", ask))
	write(root, "kept/roles/web", map[string]any{"allow_any_name": true, "key_type": "ec"})
	leaf := certificate(write(root, "kept/issue/web", map[string]any{"common_name": "kept.sdk.test", "ttl": "1h"}))
	check("signed by it", leaf.CheckSignatureFrom(ca))
	_, err = root.Logical().DeleteWithContext(ctx, key)
	refused("a key in use stays", err, 400, "")
	check("unmount it", root.Sys().UnmountWithContext(ctx, "kept"))
	must[*api.Secret]("delete the key")(root.Logical().DeleteWithContext(ctx, key))
	none := must[*api.Secret]("list of no managed keys")(root.Logical().ListWithContext(ctx, "sys/managed-keys/https"))
	is("none", none == nil, none)
	_, err = root.Logical().WriteWithContext(ctx, "sys/managed-keys/pkcs11/hsm", map[string]any{"library": "x"})
	refused("a type that is not offered", err, 400, "")
}

func external(root *api.Client) {
	_, err := root.Logical().WriteWithContext(ctx, "pki/external-policy/issue", map[string]any{"common_name": "a.sdk.test"})
	refused("external policy is off", err, 400, "")
	write(root, "pki/config/external-policy", map[string]any{
		"enabled": true, "external_service_url": os.Getenv("POLICY_URL"), "trusted_ca": os.Getenv("SERVICES_CA"), "timeout": "5s"})
	config := must[*api.Secret]("read the configuration")(root.Logical().ReadWithContext(ctx, "pki/config/external-policy"))
	is("enabled", config.Data["enabled"] == true && config.Data["external_service_url"] == os.Getenv("POLICY_URL"), config.Data)
	issued := write(root, "pki/external-policy/issue", map[string]any{"common_name": "a.sdk.test", "key_type": "ec"})
	is("issued with a key", strings.Contains(fmt.Sprint(issued.Data["private_key"]), "PRIVATE KEY"), issued.Data)
	is("for a day", certificate(issued).Subject.CommonName == "a.sdk.test")
	write(root, "pki/external-policy/issue/servers", map[string]any{"common_name": "b.sdk.test", "key_type": "ec"})
	key := must[*ecdsa.PrivateKey]("a key")(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	der := must[[]byte]("a request")(x509.CreateCertificateRequest(rand.Reader,
		&x509.CertificateRequest{Subject: pkix.Name{CommonName: "c.sdk.test"}}, key))
	csr := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
	for _, path := range []string{"pki/external-policy/sign", "pki/external-policy/sign/servers", "pki/issuer/default/external-policy/sign"} {
		signed := certificate(write(root, path, map[string]any{"common_name": "c.sdk.test", "csr": csr}))
		is("for the key", key.PublicKey.Equal(signed.PublicKey), path)
	}
	_, err = root.Logical().WriteWithContext(ctx, "pki/external-policy/sign", map[string]any{"common_name": "c.other.test", "csr": csr})
	refused("names of others", err, 400, "c.other.test is in no domain of ours")
	write(root, "pki/config/external-policy", map[string]any{"enabled": false})
	_, err = root.Logical().WriteWithContext(ctx, "pki/external-policy/sign", map[string]any{"common_name": "c.sdk.test", "csr": csr})
	refused("off again", err, 400, "")
}
