//! Gets a certificate with acme2: directory, file of challenges, name, CA of the directory's address. Prints its chain.

use acme2::{AccountBuilder, ChallengeStatus, Csr, DirectoryBuilder, OrderBuilder, OrderStatus};
use std::{env, error::Error, fs, path::Path, time::Duration};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().collect();
    let ca = reqwest::Certificate::from_pem(&fs::read(&words[4])?)?;
    let http = reqwest::Client::builder().add_root_certificate(ca).build()?;
    let directory = DirectoryBuilder::new(words[1].clone()).http_client(http).build().await?;
    let mut builder = AccountBuilder::new(directory);
    builder.contact(vec!["mailto:rust@acme.test".to_string()]);
    builder.terms_of_service_agreed(true);
    let account = builder.build().await?;
    let mut builder = OrderBuilder::new(account);
    builder.add_dns_identifier(words[3].clone());
    let order = builder.build().await?;
    let pause = Duration::from_millis(500);
    for authorization in order.authorizations().await? {
        let challenge = authorization.get_challenge("http-01").expect("no http-01");
        let token = challenge.token.clone().expect("no token");
        let proof = challenge.key_authorization()?.expect("no proof");
        fs::write(Path::new(&words[2]).join(token), proof)?;
        let challenge = challenge.validate().await?.wait_done(pause, 30).await?;
        assert_eq!(challenge.status, ChallengeStatus::Valid, "{:?}", challenge.error);
    }
    let order = order.wait_ready(pause, 10).await?;
    assert_eq!(order.status, OrderStatus::Ready);
    let key = acme2::gen_rsa_private_key(2048)?;
    let order = order.finalize(Csr::Automatic(key)).await?.wait_done(pause, 10).await?;
    for certificate in order.certificate().await?.expect("no certificate") {
        print!("{}", String::from_utf8(certificate.to_pem()?)?);
    }
    Ok(())
}
