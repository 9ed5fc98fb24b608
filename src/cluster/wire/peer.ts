/**
 * The home that a certificate is of, and the reason to refuse a peer, without any text of the peer. A machine's certificate
 * names its home as a DNS name among the subject's alternative names, exactly: no wildcard, no common name.
 */
import { Clock, Effect, Predicate } from "effect"

const isHomeName = (name: string) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(name)

/** `subjectAltName` as Node prints it, such as `DNS:home-a, IP Address:127.0.0.1`. Quoted names are ignored. */
export const homesIn = (subjectAltName: string | undefined): ReadonlyArray<string> =>
  (subjectAltName ?? "").split(", ").flatMap((entry) => {
    const name = entry.startsWith("DNS:") ? entry.slice(4) : ""
    return isHomeName(name) ? [name] : []
  })

const words: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  CERT_REVOKED: "its certificate is revoked",
  CERT_SIGNATURE_FAILURE: "its certificate is not signed by the authority of --tls-ca",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is not of the authority of --tls-ca",
  ECONNREFUSED: "nothing listens there",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS",
  ERR_TLS_HANDSHAKE_TIMEOUT: "its handshake took too long",
  INVALID_PURPOSE: "its certificate is not for this end of a connection",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is not of the authority of --tls-ca",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate is not of the authority of --tls-ca",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is not of the authority of --tls-ca",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is not of the authority of --tls-ca"
}

/** The code of a socket error of Node, such as `ERR_TLS_HANDSHAKE_TIMEOUT` and `ECONNREFUSED`. */
export const socketCode = (cause: unknown) =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : undefined

/** The end of a sentence for a code of Node's TLS; `otherwise` for an unknown code. */
export const wordsOf = (code: string | undefined, otherwise: string) =>
  code !== undefined && Object.hasOwn(words, code) ? (words[code] ?? otherwise) : otherwise

export interface PeerSeen {
  /** Undefined if it showed none. */
  readonly certificate: { readonly subjectAltName: string | undefined; readonly validTo: number } | undefined
  readonly error: string | undefined
}

/** The reason to refuse a peer; undefined for one of the cluster. `now` in ms. */
export const peerProblem = (
  { certificate, error }: PeerSeen,
  isKnown: (home: string) => boolean,
  now: number
): string | undefined => {
  if (certificate === undefined) return "it shows no certificate"
  if (error !== undefined) return wordsOf(error, "its certificate cannot be trusted")
  // An unreadable time counts as expired.
  if (!(certificate.validTo > now)) return "its certificate has expired"
  const homes = homesIn(certificate.subjectAltName)
  if (homes.length === 0) return "its certificate names no home: a DNS name among its alternative names"
  return homes.some(isKnown) ? undefined : `its certificate is of another home: ${homes.slice(0, 2).join(", ")}`
}

const everyMs = 1000

/** Logs refused peers, at most one line a second, so that endless attempts do not fill the log. `what` begins the line. */
export const refusalLog = (what: string) =>
  Effect.withFiber<(peer: string, why: string) => void>((fiber) =>
    Effect.map(Clock.Clock, (clock) => {
      let last = Number.NEGATIVE_INFINITY
      let unsaid = 0
      return (peer, why) => {
        const now = clock.currentTimeMillisUnsafe()
        if (now - last < everyMs) {
          unsaid += 1
          return
        }
        const others = unsaid === 0 ? "" : `; ${unsaid} more since the last line`
        last = now
        unsaid = 0
        Effect.runForkWith(fiber.context)(Effect.logWarning(`${what}, ${peer.slice(0, 80)}: ${why}${others}`))
      }
    })
  )
