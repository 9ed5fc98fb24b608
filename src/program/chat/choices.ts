/** The possible answers of a person to a request, and their keys; pure. A request can be allowed only once it was shown whole. */
import { editsScope, editsScopeOf } from "../../agents/approvals/plannedEdits.ts"
import { obstacleOf } from "../../agents/approvals/preview.ts"
import type { PlanAnswer } from "../../contract/Rule.ts"
import type { PermissionRequestEvent } from "../../contract/SessionEvent.ts"

export interface Choice {
  readonly key: string
  readonly label: string
  /** Absent for keys that do not answer yet. */
  readonly answer?: PlanAnswer
}

export interface Choices {
  readonly choices: ReadonlyArray<Choice>
  readonly note?: string
}

/** `a` for the first scope, which is the request itself, and a digit for each wider one. */
export const scopeKeys = ({ scopes }: Pick<PermissionRequestEvent, "scopes">) =>
  scopes.slice(0, 10).map((scope, index) => ({ key: index === 0 ? "a" : String(index), scope }))

const deny: ReadonlyArray<Choice> = [
  { key: "n", label: "no", answer: { decision: "deny" } },
  { key: "m", label: "no, and say why" }
]

const viewAll: Choice = { key: "v", label: "view all" }

const always = (request: PermissionRequestEvent): ReadonlyArray<Choice> =>
  scopeKeys(request).map(({ key, scope }, index) => ({
    key,
    label: index === 0 ? "always" : "always, wider",
    answer: { decision: "allow", remember: scope.id }
  }))

/** The plan and its edits in this turn. */
export const withEdits: Choice = {
  key: "e",
  label: "carry it out, edits too",
  answer: { decision: "allow", remember: editsScope }
}

const allow = (request: PermissionRequestEvent): ReadonlyArray<Choice> =>
  request.kind === "plan"
    ? [
        { key: "y", label: "carry it out", answer: { decision: "allow" } },
        ...(editsScopeOf(request) === undefined ? [] : [withEdits]),
        { key: "o", label: "outline first", answer: { decision: "outline" } }
      ]
    : [{ key: "y", label: "yes, once", answer: { decision: "allow" } }, ...always(request)]

/** `isWhole`: every row of the request was on the screen; `isFolded`: the panel has no room for all of them. */
export const choicesOf = (request: PermissionRequestEvent, isWhole: boolean, isFolded: boolean): Choices => {
  const more = isFolded ? [viewAll] : []
  const obstacle = obstacleOf(request)
  if (obstacle !== undefined) return { choices: [...more, ...deny], note: obstacle }
  if (!isWhole) return { choices: [viewAll, ...deny], note: "It can be allowed when its last row was shown: v" }
  return { choices: [...allow(request), ...more, ...deny] }
}

export const isAllowKey = (key: string): boolean => /^[yaeo1-9]$/.test(key)
