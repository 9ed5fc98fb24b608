/** An authority of a test, and certificates that it signs, made by openssl in a directory. */
import { execFileSync } from "node:child_process"
import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const openssl = (...args: ReadonlyArray<string>) => execFileSync("openssl", args, { stdio: "ignore" })

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

export const directory = () => mkdtempSync(join(tmpdir(), "wire-"))

export const authority = (root: string, name: string) => {
  const [ca, caKey] = [join(root, `${name}.pem`), join(root, `${name}.key`)]
  openssl("req", "-x509", ...newKey, "-days", "2", "-keyout", caKey, "-out", ca, "-subj", `/CN=${name}`)
  chmodSync(ca, 0o600)
  /** Paths. `names` as openssl has them, such as `DNS:a`; `days` 0: its time is over. */
  const sign = (file: string, names: string | undefined, days = 2) => {
    const at = (end: string) => join(root, `${name}-${file}.${end}`)
    openssl("req", ...newKey, "-keyout", at("key"), "-out", at("csr"), "-subj", "/CN=home-a")
    writeFileSync(at("ext"), names === undefined ? "basicConstraints=CA:FALSE\n" : `subjectAltName=${names}\n`)
    const signed = ["-CA", ca, "-CAkey", caKey, "-CAcreateserial", "-extfile", at("ext"), "-days", String(days)]
    openssl("x509", "-req", "-in", at("csr"), ...signed, "-out", at("pem"))
    for (const path of [at("key"), at("pem")]) chmodSync(path, 0o600)
    return { cert: at("pem"), key: at("key"), ca }
  }
  return { ca, sign }
}

export const read = (files: { readonly cert: string; readonly key: string; readonly ca: string }) => ({
  cert: readFileSync(files.cert, "utf8"),
  key: readFileSync(files.key, "utf8"),
  ca: readFileSync(files.ca, "utf8")
})
