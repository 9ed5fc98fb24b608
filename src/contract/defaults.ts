/** The defaults of an agent under the parameters of a call; pure. */
import { Predicate } from "effect"
import type { AgentDefaults } from "./AgentOptions.ts"

/** Merged by name; of the others, the whole value counts. */
const merged = ["env", "mcpServers", "timeouts", "account"] as const

const given = (params: object) => Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined))

/** What is undefined in a call has its default. In `env`, undefined removes a variable, also one of the defaults. */
export const withDefaults = (defaults: AgentDefaults | undefined, params: unknown): unknown => {
  // The parser refuses it.
  if (defaults === undefined || !Predicate.isObject(params) || Array.isArray(params)) return params
  const result: Record<string, unknown> = { ...given(defaults), ...given(params) }
  for (const name of merged) {
    const [below, above] = [defaults[name], result[name]]
    if (below === undefined || !Predicate.isObject(above) || Array.isArray(above)) continue
    result[name] = name === "env" ? { ...below, ...above } : { ...given(below), ...given(above) }
  }
  return result
}
