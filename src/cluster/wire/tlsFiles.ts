/**
 * The certificate of this machine, its key and the authority of the cluster. Write access to one of them would let
 * others in, and read access to the key would let others impersonate this machine: all three are used only if their
 * owner alone can read them.
 */
import { X509Certificate } from "node:crypto"
import { lstat, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { createSecureContext } from "node:tls"
import { Effect, Schema } from "effect"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { readFlags, readRegular } from "../../system/process/regularFile.ts"
import { homesIn } from "./peer.ts"

/** PEM. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
  readonly ca: string
}

/** A file of TLS that cannot be used. Nothing of what it contains is in it. */
class TlsFileRefused extends Schema.TaggedError<TlsFileRefused>()("TlsFileRefused", {
  /** Such as `--tls-key`. */
  flag: Schema.String,
  file: Schema.String,
  problem: Schema.String,
  /** The fix. */
  cure: Schema.String
}) {
  override get message() {
    return `${this.flag}: ${this.file} ${this.problem}: ${this.cure}`
  }
}

const mostBytes = 256 * 1024
const othersMayDoAnything = 0o077
const othersMayWrite = 0o022
const isSticky = 0o1000

type Problem = readonly [problem: string, cure: string]

/** The administrator can do as the user. */
const isTrusted = (uid: number, own: number) => uid === own || uid === 0

const problemOf = (
  file: string,
  own: number,
  info: { readonly uid: number; readonly mode: number }
): Problem | undefined => {
  if (!isTrusted(info.uid, own)) return [`belongs to the user ${info.uid}`, "make a copy of your own"]
  return (info.mode & othersMayDoAnything) === 0
    ? undefined
    : ["can be read by others", `chmod 600 ${JSON.stringify(file)}`]
}

/** A link counts as its target, if no other user can have created it. */
const placeProblem = async (file: string, own: number): Promise<Problem | undefined> => {
  const directory = dirname(file)
  const [above, itself] = [await stat(directory), await lstat(file)]
  if (!isTrusted(itself.uid, own)) return [`belongs to the user ${itself.uid}`, "make a copy of your own"]
  const isOpen = (above.mode & othersMayWrite) !== 0 && (above.mode & isSticky) === 0
  return isOpen ? ["is in a directory that others can write", `chmod go-w ${JSON.stringify(directory)}`] : undefined
}

const pem = async (file: string): Promise<string | Problem> => {
  const own = process.getuid?.()
  const placed = own === undefined ? undefined : await placeProblem(file, own)
  if (placed !== undefined) return placed
  const reading = await readRegular(file, mostBytes, readFlags.following)
  if (reading._tag !== "Read") return ["is not a regular file of 256 KiB at most", "name a file with PEM in it"]
  const { uid, mode } = reading.info
  const problem = own === undefined ? undefined : problemOf(file, own, { uid: Number(uid), mode: Number(mode) })
  return problem ?? Buffer.from(reading.bytes).toString()
}

const readPem = (flag: string, file: string) => {
  const refused = ([problem, cure]: Problem) => new TlsFileRefused({ flag, file, problem, cure })
  return Effect.tryPromise({
    try: () => pem(file),
    catch: (cause) =>
      refused([`cannot be read, ${explain(codeOf(cause) ?? "for an unknown reason")}`, "name a file that you can read"])
  }).pipe(Effect.flatMap((read) => (typeof read === "string" ? Effect.succeed(read) : Effect.fail(refused(read)))))
}

/** Returns undefined if it is not a certificate. */
const certificateIn = (cert: string): X509Certificate | undefined => {
  try {
    return new X509Certificate(cert)
  } catch {
    return undefined
  }
}

const ownProblem = (cert: string, home: string, now: number): Problem | undefined => {
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

/** Whether it leads to the authority, over those that stand in its own file. */
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
export const readTlsFiles = Effect.fnUntraced(function* (files: TlsFiles, home: string, now: number) {
  const cert = yield* readPem("--tls-cert", files.cert)
  const key = yield* readPem("--tls-key", files.key)
  const ca = yield* readPem("--tls-ca", files.ca)
  const refused = (flag: string, file: string, [problem, cure]: Problem) =>
    Effect.fail(new TlsFileRefused({ flag, file, problem, cure }))
  const problem = ownProblem(cert, home, now)
  if (problem !== undefined) return yield* refused("--tls-cert", files.cert, problem)
  if (certificateIn(ca) === undefined)
    return yield* refused("--tls-ca", files.ca, ["has no certificate", "name the authority's certificate, in PEM"])
  if (!isOfAuthority(cert, ca))
    return yield* refused("--tls-cert", files.cert, [
      `is not signed by the authority of ${files.ca}`,
      "have it signed by the one that all homes of the cluster have"
    ])
  yield* Effect.try({ try: () => createSecureContext({ cert, key, ca }), catch: () => undefined }).pipe(
    Effect.catch(() =>
      refused("--tls-key", files.key, [`is not the key of ${files.cert}`, "name the key made with it"])
    )
  )
  return { cert, key, ca } satisfies TlsFiles
})
