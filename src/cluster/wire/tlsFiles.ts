/**
 * The certificate of this machine, its key and the authority of the cluster. Write access to one of them would let
 * others in, and read access to the key would let others impersonate this machine: all three are used only if their
 * owner alone can read them.
 */
import { X509Certificate } from "node:crypto"
import { createSecureContext } from "node:tls"
import { Effect, Schema } from "effect"
import { type OwnerProblem, placeProblem, strangersProblem } from "../../api/config/file.ts"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { untraced } from "../../contract/untraced.ts"
import { readFlags, readRegular } from "../../system/process/regularFile.ts"
import { homesIn } from "./peer.ts"

/** PEM. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
  readonly ca: string
}

/** A file of TLS that cannot be used. Has nothing of its content. */
class TlsFileRefused extends Schema.TaggedError<TlsFileRefused>()("TlsFileRefused", {
  /** Such as `--tls-key`. */
  flag: Schema.String,
  file: Schema.String,
  problem: Schema.String,
  cure: Schema.String
}) {
  override get message() {
    return `${this.flag}: ${this.file} ${this.problem}: ${this.cure}`
  }
}

const mostBytes = 256 * 1024
const othersMayDoAnything = 0o077n
const ownCure = "make a copy of your own"

const pem = async (file: string): Promise<string | OwnerProblem> => {
  const place = await placeProblem(file, ownCure)
  if (place !== undefined) return place
  const reading = await readRegular(file, mostBytes, readFlags.following)
  if (reading._tag !== "Read") return ["is not a regular file of 256 KiB at most", "name a file with PEM in it"]
  const stranger = strangersProblem(reading.info, ownCure)
  if (stranger !== undefined) return stranger
  if (process.getuid !== undefined && (reading.info.mode & othersMayDoAnything) !== 0n)
    return ["can be read by others", `chmod 600 ${JSON.stringify(file)}`]
  return Buffer.from(reading.bytes).toString()
}

const refusal = (flag: string, file: string, [problem, cure]: OwnerProblem) =>
  new TlsFileRefused({ flag, file, problem, cure })

const readPem = (flag: string, file: string) => {
  const refused = (problem: OwnerProblem) => refusal(flag, file, problem)
  return Effect.tryPromise({
    try: () => pem(file),
    catch: (cause) =>
      refused([`cannot be read, ${explain(codeOf(cause) ?? "for an unknown reason")}`, "name a file that you can read"])
  }).pipe(Effect.flatMap((read) => (typeof read === "string" ? Effect.succeed(read) : Effect.fail(refused(read)))))
}

const certificateIn = (cert: string): X509Certificate | undefined => {
  try {
    return new X509Certificate(cert)
  } catch {
    return undefined
  }
}

const ownProblem = (cert: string, home: string, now: number): OwnerProblem | undefined => {
  const certificate = certificateIn(cert)
  if (certificate === undefined) return ["has no certificate", "name a file with PEM in it"]
  if (certificate.validToDate.getTime() <= now) return ["has expired", "have a new one signed"]
  return homesIn(certificate.subjectAltName).includes(home)
    ? undefined
    : [`is not of the home ${home}`, `have one signed with the alternative name DNS:${home}`]
}

const begin = "-----BEGIN CERTIFICATE-----"

const certificatesIn = (text: string) =>
  text
    .split(begin)
    .slice(1)
    .flatMap((part) => certificateIn(`${begin}${part}`) ?? [])

const isSignedBy = (certificate: X509Certificate, issuer: X509Certificate) =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)

/** Whether the certificates of its file lead to the authority. */
const isOfAuthority = (cert: string, ca: string): boolean => {
  const authorities = certificatesIn(ca)
  const [own, ...between] = certificatesIn(cert)
  let current = own
  for (let step = 0; current !== undefined && step <= between.length; step += 1) {
    const certificate: X509Certificate = current
    if (authorities.some((issuer) => isSignedBy(certificate, issuer))) return true
    current = between.find((issuer) => issuer !== certificate && isSignedBy(certificate, issuer))
  }
  return false
}

/** `files` are paths; `home` is the name of this machine's home; `now` in ms. Fails with `TlsFileRefused`. */
export const readTlsFiles = Effect.fn(...untraced("TlsFiles.readTlsFiles"))(function* (
  files: TlsFiles,
  home: string,
  now: number
) {
  const cert = yield* readPem("--tls-cert", files.cert)
  const key = yield* readPem("--tls-key", files.key)
  const ca = yield* readPem("--tls-ca", files.ca)
  const problem = ownProblem(cert, home, now)
  if (problem !== undefined) return yield* refusal("--tls-cert", files.cert, problem)
  if (certificateIn(ca) === undefined)
    return yield* refusal("--tls-ca", files.ca, ["has no certificate", "name the authority's certificate, in PEM"])
  if (!isOfAuthority(cert, ca))
    return yield* refusal("--tls-cert", files.cert, [
      `is not signed by the authority of ${files.ca}`,
      "have it signed by the one that all homes of the cluster have"
    ])
  yield* Effect.try({
    try: () => createSecureContext({ cert, key, ca }),
    catch: () => refusal("--tls-key", files.key, [`is not the key of ${files.cert}`, "name the key made with it"])
  })
  return { cert, key, ca } satisfies TlsFiles
})
