/**
 * A request of a CLI → the event that rules, memory and people decide on, with absolute paths. Its scopes, for which an
 * answer can be remembered until the session ends, are exactly this request, if it is specific, and wider ones that the agent
 * offers, if they certainly cover the request; a plan may have one for its edits in this turn. Pure.
 */
import { resolve } from "node:path"
import { Predicate } from "effect"
import { absoluteEdit } from "../../cli/boundedFacts.ts"
import type { Match, Offer, PermissionAsk, PlanAnswer } from "../../contract/Rule.ts"
import type { PermissionRequestEvent, PermissionScope } from "../../contract/SessionEvent.ts"
import { fits } from "./matching.ts"
import { editsOfferOf, editsScope } from "./plannedEdits.ts"
import { type Preview, previewOf } from "./preview.ts"

export interface RequestedPermission {
  readonly request: PermissionRequestEvent
  /** The matches of its wider scopes, by their ids. */
  readonly grants: ReadonlyMap<string, Match>
  /** The fields that show the request to a person. */
  readonly preview: () => Preview
}

export const exactScope = "exact"

/** Id of the scope for which an answer is to be remembered. */
export const scopeIdOf = (answer: PlanAnswer): string | undefined => {
  const remember = answer.decision === "outline" || answer.remember === false ? undefined : answer.remember
  return remember === true ? exactScope : remember
}

const isFilled = (input: unknown): boolean => {
  if (input == null || input === "") return false
  return !Predicate.isObject(input) || Object.keys(input).length > 0
}

/** True if the request states its effect. For a changed file, its path alone is not enough. */
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
const scopesOf = (ask: PermissionAsk, request: PermissionRequestEvent, workingDirectory: string) => {
  if (!isSpecific(ask)) return { scopes: [], grants: new Map<string, Match>() }
  const offers = (ask.offers ?? []).filter((offer) => isCovered(request, offer, workingDirectory))
  const wider = offers.map(({ label, covers }, index) => ({ id: `wider-${index + 1}`, label, covers }))
  const grants = new Map(offers.map(({ match }, index) => [`wider-${index + 1}`, match]))
  const edits = editsOfferOf(ask)
  if (edits !== undefined) grants.set(editsScope, edits.match)
  return {
    scopes: [exactly(request, workingDirectory), ...wider, ...(edits === undefined ? [] : [edits.scope])],
    grants
  }
}

export const requestEventOf = (ask: PermissionAsk, workingDirectory: string): RequestedPermission => {
  const {
    takesInput: _takesInput,
    rest,
    isIncomplete: _isIncomplete,
    offers: _offers,
    plannedEdits: _plannedEdits,
    escalated = false,
    ...content
  } = ask
  const { paths, edits, directory } = content
  const unscoped: PermissionRequestEvent = {
    type: "permission_request",
    ...content,
    escalated,
    ...(directory === undefined ? {} : { directory: resolve(workingDirectory, directory) }),
    ...(paths === undefined ? {} : { paths: paths.map((path) => resolve(workingDirectory, path)) }),
    ...(edits === undefined ? {} : { edits: edits.map((edit) => absoluteEdit(edit, workingDirectory)) }),
    scopes: []
  }
  const { scopes, grants } = scopesOf(ask, unscoped, workingDirectory)
  const request = { ...unscoped, scopes }
  const remaining = "rest" in ask ? rest : request.input
  return { request, grants, preview: () => previewOf(request, remaining, workingDirectory) }
}
