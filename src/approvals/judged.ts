/**
 * A request of a CLI → the event that rules, memory and people decide on: with absolute paths, and the scopes for which the
 * answer can be remembered. Pure.
 */
import { resolve } from "node:path"
import type { PermissionAsk } from "../contract/Ask.ts"
import type { FileEdit, PermissionRequestEvent } from "../contract/SessionEvent.ts"
import { type Preview, previewOf } from "./preview.ts"
import { type Scoped, scopesOf } from "./scopes.ts"

export interface Judged extends Pick<Scoped, "grants"> {
  readonly request: PermissionRequestEvent
  /** The fields with which a person is shown the request. */
  readonly preview: () => Preview
}

const absoluteEdit = ({ path, movedTo, ...edit }: FileEdit, base: string): FileEdit => ({
  ...edit,
  path: resolve(base, path),
  ...(movedTo === undefined ? {} : { movedTo: resolve(base, movedTo) })
})

export const judgedOf = (ask: PermissionAsk, workingDirectory: string): Judged => {
  const {
    takesInput: _takesInput,
    rest,
    isIncomplete: _isIncomplete,
    offers: _offers,
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
