/**
 * Remembered decisions of one rule of a session: for exact requests, of which only digests are kept, and for wider scopes
 * that a request offered. Least recently used is evicted first. If decisions disagree, the denial counts.
 */
import { createHash } from "node:crypto"
import { Equal } from "effect"
import type { Decision, Match } from "../../contract/Rule.ts"
import type { PermissionRequestEvent } from "../../contract/SessionEvent.ts"
import { fits } from "./matching.ts"
import { exactScope } from "./requestEvent.ts"

export type Memory = ReturnType<typeof makeMemory>
interface Remembered {
  readonly match: Match
  readonly decision: Decision
}

/** About 300 bytes each. */
const maxDigests = 10_000
const maxGrants = 200

/** Sorts members, so that equal inputs have equal texts. */
const sorted = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

const digest = (value: unknown): string | undefined => {
  try {
    return createHash("sha256").update(JSON.stringify(value, sorted)).digest("base64")
  } catch {
    // Too deep, or not JSON.
    return undefined
  }
}

/** A digest of everything that a person sees of a request, and everything that changes its effect. */
const digestOf = (request: PermissionRequestEvent): string | undefined => {
  const { requestId: _id, toolId: _tool, parentToolId: _parent, deadlineMs: _until, ...same } = request
  const { preview: _preview, notShown: _notShown, scopes: _scopes, type: _type, ...content } = same
  return digest(content)
}

type Digests = Map<string, Decision>

const keep = (digests: Digests, key: string | undefined, decision: Decision): boolean => {
  if (key === undefined) return false
  digests.delete(key)
  digests.set(key, decision)
  for (const oldest of digests.keys()) {
    if (digests.size <= maxDigests) break
    digests.delete(oldest)
  }
  return true
}

const recalled = (digests: Digests, key: string | undefined): Decision | undefined => {
  const decision = key === undefined ? undefined : digests.get(key)
  if (decision !== undefined) keep(digests, key, decision)
  return decision
}

export const makeMemory = (workingDirectory: string) => {
  const digests: Digests = new Map()
  let grants: ReadonlyArray<Remembered> = []

  return {
    recall: (request: PermissionRequestEvent): Decision | undefined => {
      // A request without the exact scope may do anything: it equals no earlier one.
      const isExact = request.scopes.some(({ id }) => id === exactScope)
      const exact = isExact && digests.size > 0 ? recalled(digests, digestOf(request)) : undefined
      const fitting = grants.filter(({ match, decision }) => fits(match, request, decision.decision, workingDirectory))
      const found = [exact, ...fitting.map(({ decision }) => decision)]
      return found.find((decision) => decision?.decision === "deny") ?? found.find((decision) => decision !== undefined)
    },
    /** For a scope of the request: exactly this request, or the `match` of a wider one. False if it cannot be kept. */
    remember: (
      request: PermissionRequestEvent,
      scope: string,
      decision: Decision,
      match: Match | undefined
    ): boolean => {
      if (!request.scopes.some(({ id }) => id === scope)) return false
      // An allowed call with a changed input is remembered for the exact request only.
      const isChanged = decision.decision === "allow" && "input" in decision
      if (match === undefined || isChanged) return keep(digests, digestOf(request), decision)
      const others = grants.filter(({ match: other }) => !Equal.equals(other, match))
      grants = [...others, { match, decision }].slice(-maxGrants)
      return true
    }
  }
}
