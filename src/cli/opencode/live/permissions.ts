/**
 * Params → permission rules of OpenCode (1.18.33) for a live session: the mode's limits become questions. A sub-agent's question
 * is never shown and blocks for ever, so its questions become denials.
 */
import { resolve } from "node:path"
import type { AgentOpenParams } from "../../../contract/AgentOpenParams.ts"
import { type JsonObject, merge } from "../command/config.ts"
import { each } from "../command/permissions.ts"

/** Tools that change nothing and never leave the directory. */
const harmless = ["glob", "grep", "list", "lsp", "codesearch", "todowrite", "todoread", "skill"]

/** OpenCode's own default: secrets of a project are often in such files. */
const reading = (otherwise: "ask" | "deny") => ({
  "*": "allow",
  "*.env": otherwise,
  "*.env.*": otherwise,
  "*.env.example": "allow"
})

/** Sub-agents of the project's own could ask. */
const knownSubAgents = { "*": "deny", general: "ask", explore: "ask" }

const careful = (otherwise: "ask" | "deny"): JsonObject => ({
  "*": otherwise,
  ...each(harmless, "allow"),
  read: reading(otherwise),
  task: otherwise === "deny" ? "deny" : knownSubAgents,
  // It would wait for an answer that can never come.
  question: "deny"
})

export interface LiveRules {
  readonly main: JsonObject
  readonly plan: JsonObject
  readonly subAgents: JsonObject
}

/** The last matching rule counts: disallowed tools stay disallowed in every mode. */
export const liveRulesOf = (params: AgentOpenParams, workingDirectory: string): LiveRules => {
  const { permissionMode, allowedTools, disallowedTools, additionalDirectories = [] } = params
  const isBypass = permissionMode === "bypass"
  const isAnyDirectory = isBypass || allowedTools?.includes("external_directory") === true
  const names = isAnyDirectory ? [] : additionalDirectories.map((name) => `${resolve(workingDirectory, name)}/*`)
  const rules = (first: JsonObject, otherwise: "ask" | "deny", last: JsonObject = {}) => {
    const directories = names.length === 0 ? {} : { "*": otherwise, ...each(names, "allow") }
    return [
      first,
      each(allowedTools, "allow"),
      names.length === 0 ? {} : { external_directory: directories },
      last,
      each(disallowedTools, "deny")
    ].reduce<JsonObject>(merge, {})
  }
  const all = { "*": "allow", question: "deny" }
  const accepting = permissionMode === "accept-edits" ? { edit: "allow" } : {}
  return {
    main: rules(isBypass ? all : careful("ask"), "ask"),
    plan: rules(careful("ask"), "ask", { edit: "deny" }),
    subAgents: rules(isBypass ? all : merge(careful("deny"), accepting), "deny")
  }
}
