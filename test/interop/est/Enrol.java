import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.TrustAnchor;
import java.security.cert.X509Certificate;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.est.ESTAuth;
import org.bouncycastle.est.ESTException;
import org.bouncycastle.est.ESTService;
import org.bouncycastle.est.EnrollmentResponse;
import org.bouncycastle.est.jcajce.JcaHttpAuthBuilder;
import org.bouncycastle.est.jcajce.JcaJceUtils;
import org.bouncycastle.est.jcajce.JsseESTServiceBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;

/**
 * Reads CA certificates and attributes, is rejected with a wrong password, enrols, and re-enrols: with the certificate
 * if the last argument is "certificate", otherwise that must be rejected. Arguments: host:port, label or "", file of the
 * server's CA, user, password, name, and the last one.
 */
public final class Enrol {
  public static void main(String[] words) throws Exception {
    java.security.Security.addProvider(new BouncyCastleProvider());
    X509Certificate ca;
    try (var input = Files.newInputStream(Path.of(words[2]))) {
      ca = (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(input);
    }
    var trust = JcaJceUtils.getCertPathTrustManager(Set.of(new TrustAnchor(ca, null)), null);
    ESTService service = builder(words, trust).build();
    System.out.println("cacerts " + ESTService.storeToArray(service.getCACerts().getCertificateStore()).length);
    System.out.println("csrattrs " + service.getCSRAttributes().hasAttributesResponse());
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(256);
    KeyPair key = generator.generateKeyPair();
    var request = new JcaPKCS10CertificationRequestBuilder(new X500Name("CN=" + words[5]), key.getPublic())
        .build(new JcaContentSignerBuilder("SHA256withECDSA").build(key.getPrivate()));
    try {
      service.simpleEnroll(false, request, auth(words[3], "wrong"));
      throw new IllegalStateException("a wrong password was taken");
    } catch (ESTException refusal) {
      System.out.println("wrong password " + refusal.getStatusCode());
    }
    var enrolled = service.simpleEnroll(false, request, auth(words[3], words[4]));
    var certificate = only(enrolled);
    System.out.println("subject " + certificate.getSubject() + " by " + certificate.getIssuer());
    if (!words[6].equals("certificate")) {
      try {
        service.simpleEnroll(true, request, auth(words[3], words[4]));
        throw new IllegalStateException("enrolled again without a certificate");
      } catch (ESTException refusal) {
        System.out.println("again without a certificate " + refusal.getStatusCode());
      }
    } else {
      var chain = new X509Certificate[] {new JcaX509CertificateConverter().getCertificate(certificate)};
      var keys = KeyStore.getInstance("PKCS12");
      keys.load(null, null);
      keys.setKeyEntry("own", key.getPrivate(), new char[0], chain);
      var managers = KeyManagerFactory.getInstance("PKIX");
      managers.init(keys, new char[0]);
      var again = builder(words, trust).withKeyManagers(managers.getKeyManagers()).build();
      var renewed = only(again.simpleEnroll(true, request, null));
      if (renewed.getSerialNumber().equals(certificate.getSerialNumber()) || !renewed.getSubject().equals(certificate.getSubject()))
        throw new IllegalStateException("the certificate of before, or of another: " + renewed.getSubject());
      System.out.println("again by the certificate");
    }
    System.out.println("done");
  }

  private static JsseESTServiceBuilder builder(String[] words, X509TrustManager[] trust) throws Exception {
    var builder = new JsseESTServiceBuilder(words[0], trust).withProvider("SunJSSE").withTimeout(20000);
    if (!words[1].isEmpty()) builder.withLabel(words[1]);
    return builder;
  }

  private static X509CertificateHolder only(EnrollmentResponse response) {
    var all = ESTService.storeToArray(response.getStore());
    if (all.length != 1) throw new IllegalStateException(all.length + " certificates");
    return all[0];
  }

  private static ESTAuth auth(String user, String password) throws Exception {
    return new JcaHttpAuthBuilder(user, password.toCharArray()).setProvider("BC").build();
  }
}
