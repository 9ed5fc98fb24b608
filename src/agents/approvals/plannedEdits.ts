/**
 * The scope with which a plan is approved together with its edits: until the turn ends, changes of files that are not out of
 * the ordinary are allowed where a person would be asked. Plain state without Effect.
 */
import { relative } from "node:path"
import type { Match, PermissionAsk } from "../../contract/Rule.ts"
import type { PermissionRequestEvent, PermissionScope } from "../../contract/SessionEvent.ts"
import { fits } from "./matching.ts"

export const editsScope = "edits"

/** The scope of a plan and its edits, if the request has it. */
export const editsScopeOf = ({ scopes }: Pick<PermissionRequestEvent, "scopes">): PermissionScope | undefined =>
  scopes.find(({ id }) => id === editsScope)

interface EditsOffer {
  readonly scope: PermissionScope
  readonly match: Match
}

/** Undefined for a plan of a sub-agent: the edits of the others are not part of it. */
export const editsOfferOf = ({
  kind,
  plannedEdits = [],
  parentToolId,
  escalated
}: PermissionAsk): EditsOffer | undefined => {
  if (kind !== "plan" || plannedEdits.length === 0 || parentToolId !== undefined || escalated === true) return undefined
  const covers =
    "This plan, and changes of files in the working directory until the turn ends or the agent gets a new message. " +
    "Commands, hidden files such as .env, and all that the agent gives a reason for are still asked about."
  const match = { kinds: ["file_change"], tools: plannedEdits, paths: ["**"] } as const
  return { scope: { id: editsScope, label: "this plan and its edits", covers }, match }
}

/** True for a file inside of the directory whose path from there has no name that begins with a dot, and so no `..`. */
const isOrdinary = (path: string, workingDirectory: string): boolean => {
  const names = relative(workingDirectory, path).split("/")
  return names.every((name) => name !== "" && !name.startsWith("."))
}

export interface PlannedEditsContext {
  readonly workingDirectory: string
  /** Number of the turn that is under way; undefined between turns. */
  readonly turn: () => number | undefined
}

interface Grant<Rule> {
  readonly match: Match
  readonly turn: number
  /** The rule by which the plan was asked about. */
  readonly rule: Rule
}

/** `Rule`: compared by identity. */
export const makePlannedEdits = <Rule>({ workingDirectory, turn }: PlannedEditsContext) => {
  let grant: Grant<Rule> | undefined
  /** The last plan. */
  let last: { readonly requestId: string; readonly turn: number | undefined } | undefined

  return {
    /** Called for every plan: it replaces the one before. */
    planAsked: ({ requestId }: PermissionRequestEvent) => {
      grant = undefined
      last = { requestId, turn: turn() }
    },
    /** False for a plan that is not the last one, or of another turn. */
    allow: ({ requestId }: PermissionRequestEvent, match: Match, rule: Rule): boolean => {
      const now = turn()
      if (now === undefined || last?.requestId !== requestId || last.turn !== now) return false
      grant = { match, turn: now, rule }
      return true
    },
    /** The rule of the plan that covers the edit; undefined if none does. */
    ruleFor: (request: PermissionRequestEvent): Rule | undefined => {
      if (grant === undefined || grant.turn !== turn()) return undefined
      // The CLI gives a reason only where there is more to it than its mode: sensitive files, links, rules of the user.
      if (request.reason !== undefined || !fits(grant.match, request, "allow", workingDirectory)) return undefined
      return request.paths?.every((path) => isOrdinary(path, workingDirectory)) ? grant.rule : undefined
    },
    /** Called for a further message of a person, which is not part of the plan. */
    end: () => {
      grant = undefined
    }
  }
}
