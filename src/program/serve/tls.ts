/** The certificate of a server and its key, from the files that the configuration names. */
import { X509Certificate } from "node:crypto"
import { stat } from "node:fs/promises"
import { isIP } from "node:net"
import { createSecureContext } from "node:tls"
import { Effect } from "effect"
import { codeOf, explain } from "../../contract/errors/system.ts"
import { untraced } from "../../contract/untraced.ts"
import { readFlags, readRegular } from "../../system/process/regularFile.ts"

const mostBytes = 256 * 1024
const othersMayDoAnything = 0o077

const read = async (file: string, isSecret: boolean): Promise<string> => {
  const own = process.getuid?.()
  const info = await stat(file)
  if (isSecret && own !== undefined && (info.mode & othersMayDoAnything) !== 0)
    throw new Error(`can be read by others: chmod 600 ${JSON.stringify(file)}`)
  if (isSecret && own !== undefined && info.uid !== own && info.uid !== 0)
    throw new Error(`belongs to the user ${info.uid}`)
  const reading = await readRegular(file, mostBytes, readFlags.following)
  if (reading._tag !== "Read") throw new Error("is not a file with PEM in it")
  return Buffer.from(reading.bytes).toString()
}

const pem = (table: string, name: string, file: string, isSecret: boolean) =>
  Effect.tryPromise({
    try: () => read(file, isSecret),
    catch: (cause) => {
      const code = codeOf(cause)
      const why =
        code === undefined ? String(cause instanceof Error ? cause.message : cause) : `cannot be read: ${explain(code)}`
      return `${table}.${name}: ${file} ${why}`
    }
  })

const dayOf = (date: Date) => date.toISOString().slice(0, 10)

/** The reasons for which browsers will warn of a valid file. `hosts`: as in the configuration. */
export const certificateProblems = (cert: string, hosts: ReadonlyArray<string>, now: number): ReadonlyArray<string> => {
  const certificate = new X509Certificate(cert)
  const { validFromDate, validToDate } = certificate
  const names = hosts.map((host) => host.replace(/:\d+$/, "").replace(/^\[|\]$/g, ""))
  const others = names.filter(
    (name) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) === undefined
  )
  return [
    ...(validToDate.getTime() < now ? [`the certificate expired on ${dayOf(validToDate)}: renew it`] : []),
    ...(validFromDate.getTime() > now ? [`the certificate is valid from ${dayOf(validFromDate)} on`] : []),
    ...others.map((name) => `the certificate is not for ${name}, which web.hosts names`)
  ]
}

/** Fails with a sentence, which quotes nothing of the files. */
export const readTls = Effect.fn(...untraced("Tls.readTls"))(function* (
  files: { readonly cert: string; readonly key: string },
  table = "web.tls"
) {
  const cert = yield* pem(table, "cert", files.cert, false)
  const key = yield* pem(table, "key", files.key, true)
  yield* Effect.try({
    try: () => createSecureContext({ cert, key }),
    catch: () => `${table}: ${files.cert} and ${files.key} are not a certificate and its key`
  })
  return { cert, key }
})
