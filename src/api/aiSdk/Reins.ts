/** Models by the id of their CLI, or over an agent that there is. */

import type { CliId } from "../../contract/CliId.ts"
import { typeErrorAt } from "../../contract/errors/callSite.ts"
import type { PlainAgent } from "../../contract/PlainAgent.ts"
import { createAgent } from "../promise/CreateAgent.ts"
import type { ReinsModel, ReinsModelOptions, ReinsOptions, ReinsProvider } from "./AiSdk.ts"
import { makeModel } from "./model.ts"

const names = ["hostTools", "system", "approvals", "onPermission", "questions", "onQuestion"] as const

/** How the model uses its agent, and what the agent is made with. */
const apart = (input: ReinsOptions) => {
  const { hostTools, system, approvals, onPermission, questions, onQuestion, ...agent } = input
  const all = { hostTools, system, approvals, onPermission, questions, onQuestion }
  return { use: defined(all), agent }
}

/** Undefined options are ignored; any other needs a live session. */
const defined = (options: { readonly [Name in keyof ReinsModelOptions]: ReinsModelOptions[Name] | undefined }) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as ReinsModelOptions // the same names

const overAgent = (agent: PlainAgent, options: object): ReinsModel => {
  const other = Object.keys(options).find((name) => !names.some((known) => known === name))
  if (other !== undefined)
    throw typeErrorAt(overAgent, `reins: ${other} is an option of the agent, which is made already`)
  return makeModel(agent, agent.cli, defined(options))
}

/** `claude/opus`: the CLI, and the model for it, whose name may have slashes. */
const overCli = (id: string, options: ReinsOptions): ReinsModel => {
  const [cli = "", ...rest] = id.split("/")
  const { use, agent } = apart(options)
  const named = rest.length === 0 ? {} : { defaults: { ...agent.defaults, model: rest.join("/") } }
  // `createAgent` refuses invalid options by name.
  return makeModel(createAgent(cli as CliId, { ...agent, ...named }), id, use)
}

const without = (kind: string) => (): never => {
  throw new TypeError(`reins has no ${kind} models`)
}

/** A provider whose models all have these options; those of a model come after, its `defaults` one by one. */
export const createReins = (shared: ReinsOptions = {}): ReinsProvider => {
  const use = apart(shared).use
  const make = (input: string | PlainAgent, options: ReinsOptions = {}): ReinsModel => {
    if (typeof input !== "string") return overAgent(input, { ...use, ...options })
    const defaults = { ...shared.defaults, ...options.defaults }
    return overCli(input, { ...shared, ...options, defaults })
  }
  return Object.assign(make, {
    specificationVersion: "v4" as const,
    languageModel: (id: string) => make(id),
    embeddingModel: without("embedding"),
    imageModel: without("image")
  })
}

/** The provider without options of its own. */
export const reins: ReinsProvider = createReins()
