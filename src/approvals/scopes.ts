/**
 * The scopes for which the answer to a request can be remembered until the session ends: exactly this request, if it says
 * what it does, and wider ones that the agent offers, if they certainly cover the request. Pure.
 */
import { Predicate } from "effect"
import type { Offer, PermissionAsk } from "../contract/Ask.ts"
import type { Match } from "../contract/Rule.ts"
import type { PermissionRequestEvent, PermissionScope } from "../contract/SessionEvent.ts"
import { fits } from "./matching.ts"

/** Id of the scope for exactly this request. */
export const exactScope = "exact"

/** The scopes of a request, and the matches of the wider ones by id. */
export interface Scoped {
  readonly scopes: ReadonlyArray<PermissionScope>
  readonly grants: ReadonlyMap<string, Match>
}

const isFilled = (input: unknown): boolean => {
  if (input == null || input === "") return false
  return !Predicate.isObject(input) || Object.keys(input).length > 0
}

/** Whether the request says what it would do. For a changed file, its path alone is not enough. */
const isSpecific = ({
  kind,
  command,
  plan,
  paths = [],
  edits = [],
  input,
  doubt,
  isIncomplete
}: PermissionAsk): boolean => {
  if (doubt !== undefined || isIncomplete === true) return false
  if (kind === "file_change") return edits.length > 0 || (isFilled(input) && paths.length === 0)
  return [command, plan].some(isFilled) || paths.length > 0 || edits.length > 0 || isFilled(input)
}

const nouns: { readonly [Kind in PermissionRequestEvent["kind"]]?: string } = {
  command: "this exact command",
  file_change: "this exact change",
  plan: "this exact plan",
  mcp: "this tool with exactly this input"
}

type ExactRequest = Pick<PermissionRequestEvent, "kind" | "directory" | "escalated">

const exactly = ({ kind, directory, escalated }: ExactRequest, workingDirectory: string): PermissionScope => {
  const noun = nouns[kind] ?? "this exact request"
  const place = directory === undefined ? "" : `, in ${directory === workingDirectory ? "this directory" : directory}`
  const outside = escalated ? ", outside of the sandbox" : ""
  const label = `${noun}${place}${outside}`
  const anywhere = kind === "command" && directory === undefined ? ", in any directory" : ""
  return {
    id: exactScope,
    label,
    covers: `Only ${label}, with nothing else about it changed${anywhere}, until this session ends.`
  }
}

const isCovered = (request: PermissionRequestEvent, { match }: Offer, workingDirectory: string) =>
  !request.escalated && fits(match, request, "allow", workingDirectory)

/** `request` has no scopes yet. */
export const scopesOf = (ask: PermissionAsk, request: PermissionRequestEvent, workingDirectory: string): Scoped => {
  if (!isSpecific(ask)) return { scopes: [], grants: new Map() }
  const offers = (ask.offers ?? []).filter((offer) => isCovered(request, offer, workingDirectory))
  const wider = offers.map(({ label, covers }, index) => ({ id: `wider-${index + 1}`, label, covers }))
  return {
    scopes: [exactly(request, workingDirectory), ...wider],
    grants: new Map(offers.map(({ match }, index) => [`wider-${index + 1}`, match]))
  }
}
