//! The environment of vaultrs' tests: a server that runs already, in place of containers.

use std::env;
use std::future::Future;
use std::path::{Path, PathBuf};

use vaultrs::client::{VaultClient, VaultClientSettingsBuilder};

pub const KUB_ACCOUNT_NAME: &str = "vault-auth";
pub const KUB_NAMESPACE: &str = "default";

/// Returns an environment variable that the suite sets.
fn setting(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set"))
}

/// Builder of the environment of a test.
pub struct TestBuilder;

impl TestBuilder {
    pub fn new() -> Self {
        Self
    }

    /// Returns the same server: `npm start` does not receive client certificates.
    pub fn new_tls() -> Self {
        Self
    }

    /// Returns the same server: there is none that is not initialized.
    pub fn new_prod() -> Self {
        Self
    }

    pub fn with_nginx(self) -> Self {
        self
    }

    /// Runs a test.
    pub async fn check<F, Fut>(self, test: F)
    where
        F: FnOnce(Test) -> Fut,
        Fut: Future<Output = ()>,
    {
        let settings = VaultClientSettingsBuilder::default()
            .address(setting("SUITE_URL"))
            .token(setting("SUITE_TOKEN"))
            .build()
            .unwrap();
        let client = VaultClient::new(settings).unwrap();
        let ca_cert = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/root_ca.crt");
        test(Test { client, ca_cert }).await;
    }
}

/// The environment of a test.
pub struct Test {
    client: VaultClient,
    ca_cert: PathBuf,
}

impl Test {
    pub fn client(&self) -> &VaultClient {
        &self.client
    }

    pub fn ca_cert(&self) -> Option<&Path> {
        Some(&self.ca_cert)
    }

    /// Returns the address of a Kubernetes API. Nothing listens there.
    pub fn nginx_url(&self) -> Option<&str> {
        Some("http://127.0.0.1:80")
    }
}
