/**
 * Params → permission rules of OpenCode (1.18.33): `allow` or `deny` for a whole permission. Other patterns than those of
 * directories would hide those of the caller's or the project's rules.
 */
import { resolve } from "node:path"
import type { AgentExecuteParams } from "../../../contract/AgentExecuteParams.ts"
import { entryOf } from "../../jsonFields.ts"
import { type JsonObject, merge } from "./config.ts"

/** Tools that ask under another name; a rule under their own has no effect. */
const governedBy: Readonly<Record<string, string>> = {
  write: "edit",
  multiedit: "edit",
  patch: "edit",
  apply_patch: "edit"
}

/** The problem with the name of a permission, if any. */
export const problemOfPermission = (name: string): string | undefined => {
  const governing = entryOf(governedBy, name)
  if (governing !== undefined)
    return `${JSON.stringify(name)} is governed by the permission ${JSON.stringify(governing)}`
  if (/^[\w*?.-]+$/.test(name)) return undefined
  return `${JSON.stringify(name)} is not the name of a permission; patterns belong into the CLI's own configuration`
}

/** The problem with a directory, if any: its name becomes part of a pattern. */
export const problemOfDirectory = (directory: string): string | undefined =>
  /[*?]/.test(directory) ? `${JSON.stringify(directory)} has a wildcard in its name` : undefined

export const each = (names: ReadonlyArray<string> | undefined, action: "allow" | "deny") =>
  Object.fromEntries((names ?? []).map((name) => [name, action]))

/**
 * `default` and `bypass` need no rule. OpenCode's plan agent is only told not to change anything by a command, so `plan` denies
 * commands, too. The last matching rule counts: denials of the mode and of the caller stay.
 */
export const rulesOf = (params: AgentExecuteParams, workingDirectory: string): JsonObject => {
  const { permissionMode, allowedTools, disallowedTools, additionalDirectories = [] } = params
  const isAnyDirectory = allowedTools?.includes("external_directory") === true
  const directories = isAnyDirectory ? [] : additionalDirectories.map((name) => `${resolve(workingDirectory, name)}/*`)
  return [
    each(permissionMode === "accept-edits" ? ["edit"] : [], "allow"),
    each(allowedTools, "allow"),
    directories.length === 0 ? {} : { external_directory: each(directories, "allow") },
    each(permissionMode === "plan" ? ["edit", "bash"] : [], "deny"),
    each(disallowedTools, "deny")
  ].reduce<JsonObject>(merge, {})
}
