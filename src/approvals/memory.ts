/**
 * What was decided for the rest of a session at the place of one rule. Holds digests and never inputs, and of each kind
 * only the last used: what is forgotten is asked again. Where what is remembered disagrees, a denial counts.
 */
import { createHash } from "node:crypto"
import { Equal, Predicate } from "effect"
import type { Match, PermissionAnswer } from "../Approvals.ts"
import type { Decision } from "../cli/Live.ts"
import type { PermissionRequestEvent } from "../SessionEvent.ts"
import { fits } from "./matching.ts"

export interface Memory {
  readonly recall: (request: PermissionRequestEvent) => Decision | undefined
  readonly remember: (request: PermissionRequestEvent, answer: PermissionAnswer, decision: Decision) => void
}

interface Remembered {
  readonly match: Match
  readonly decision: Decision
}

/** About 300 bytes each. */
const mostDigests = 10_000
const mostMatches = 200

/** Members in one order, so that the same input has one text. */
const sorted = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

const digest = (value: unknown): string | undefined => {
  try {
    return createHash("sha256").update(JSON.stringify(value, sorted)).digest("base64")
  } catch {
    // Too deep, or no JSON.
    return undefined
  }
}

/** How the model describes a command says nothing of what it does; another directory or an open sandbox does. */
const undescribed = (input: unknown): unknown => {
  if (!Predicate.isObject(input) || !("description" in input)) return input
  const { description: _description, ...others } = input
  return others
}

/** What is the same again; undefined where that cannot be told. */
const digestOf = (request: PermissionRequestEvent): string | undefined => {
  const { toolName, kind, command, paths = [], input } = request
  // A plan is the same only where all of it is: its path says nothing about it.
  const isPlan = kind === "plan"
  let same: unknown = ["input", input]
  if (!isPlan && command !== undefined) same = ["command", command, undescribed(input)]
  else if (!isPlan && paths.length > 0) same = ["paths", [...new Set(paths)].sort()]
  return digest([toolName, kind, same])
}

/** What is asked for with another input is the same only where it was called with the same input, too. */
const digestOfInput = ({ toolName, kind, input }: PermissionRequestEvent) => digest([toolName, kind, "changed", input])

type Digests = Map<string, Decision>

const keep = (digests: Digests, key: string | undefined, decision: Decision) => {
  if (key === undefined) return
  digests.delete(key)
  digests.set(key, decision)
  for (const oldest of digests.keys()) {
    if (digests.size <= mostDigests) return
    digests.delete(oldest)
  }
}

/** What is used is the last to be forgotten. */
const recalled = (digests: Digests, key: string | undefined): Decision | undefined => {
  const decision = key === undefined ? undefined : digests.get(key)
  if (decision !== undefined) keep(digests, key, decision)
  return decision
}

export const makeMemory = (workingDirectory: string): Memory => {
  const digests: Digests = new Map()
  let matches: ReadonlyArray<Remembered> = []

  return {
    recall: (request) => {
      const keys = digests.size === 0 ? [] : [digestOfInput(request), digestOf(request)]
      const fitting = matches.filter(({ match, decision }) => fits(match, request, decision.decision, workingDirectory))
      const found = [...keys.map((key) => recalled(digests, key)), ...fitting.map(({ decision }) => decision)]
      return found.find((decision) => decision?.decision === "deny") ?? found.find((decision) => decision !== undefined)
    },
    remember: (request, { remember }, decision) => {
      if (remember === undefined || remember === false) return
      // Another input belongs to this call and says nothing about any that only resembles it.
      if (decision.decision === "allow" && "input" in decision) return keep(digests, digestOfInput(request), decision)
      if (remember === true) return keep(digests, digestOf(request), decision)
      const others = matches.filter(({ match }) => !Equal.equals(match, remember))
      matches = [...others, { match: remember, decision }].slice(-mostMatches)
    }
  }
}
