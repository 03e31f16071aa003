//! Gets a certificate with acme-micro: directory, file of challenges, name. Prints its chain.

use acme_micro::{create_p256_key, Directory, DirectoryUrl, Error};
use std::{env, fs, path::Path, time::Duration};

fn main() -> Result<(), Error> {
    let words: Vec<String> = env::args().collect();
    let directory = Directory::from_url(DirectoryUrl::Other(&words[1]))?;
    let account = directory.register_account(vec!["mailto:rust@acme.test".to_string()])?;
    let mut order = account.new_order(&words[3], &[])?;
    let proven = loop {
        if let Some(proven) = order.confirm_validations() {
            break proven;
        }
        for authorization in order.authorizations()? {
            let challenge = authorization.http_challenge().expect("no http-01");
            let file = Path::new(&words[2]).join(challenge.http_token());
            fs::write(file, challenge.http_proof()?)?;
            challenge.validate(Duration::from_millis(200))?;
        }
        order.refresh()?;
    };
    let issued = proven.finalize_pkey(create_p256_key()?, Duration::from_millis(200))?;
    print!("{}", issued.download_cert()?.certificate());
    Ok(())
}
