//! Gets a certificate with instant-acme and its default retries: directory, file of challenges, name, CA of the directory's address. Prints its chain. A directory of challenges that is empty leaves them without a proof.

use instant_acme::{Account, ChallengeType, Identifier, NewAccount, NewOrder, OrderStatus, RetryPolicy};
use std::{env, error::Error, fs, path::Path};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().collect();
    let new = NewAccount { contact: &[], terms_of_service_agreed: true, only_return_existing: false };
    let (account, _) = Account::builder_with_root(&words[4])?.create(&new, words[1].clone(), None).await?;
    let names = [Identifier::Dns(words[3].clone())];
    let mut order = account.new_order(&NewOrder::new(&names)).await?;
    let mut authorizations = order.authorizations();
    while let Some(authorization) = authorizations.next().await {
        let mut authorization = authorization?;
        let mut challenge = authorization.challenge(ChallengeType::Http01).expect("no http-01");
        if !words[2].is_empty() {
            let file = Path::new(&words[2]).join(&challenge.token);
            fs::write(file, challenge.key_authorization().as_str())?;
        }
        challenge.set_ready().await?;
    }
    let status = order.poll_ready(&RetryPolicy::default()).await?;
    if status != OrderStatus::Ready {
        let mut authorizations = order.authorizations();
        while let Some(authorization) = authorizations.next().await {
            for challenge in &authorization?.challenges {
                if let Some(error) = &challenge.error {
                    return Err(error.clone().into());
                }
            }
        }
        return Err(format!("the order is {status:?}").into());
    }
    order.finalize().await?;
    print!("{}", order.poll_certificate(&RetryPolicy::default()).await?);
    Ok(())
}
