/** Models by the id of their CLI, or over an existing agent. */

import type { CliId } from "../../contract/CliSupport.ts"
import { typeErrorAt } from "../../contract/errors/callSite.ts"
import type { PlainAgent } from "../../contract/PlainAgent.ts"
import { present } from "../../contract/present.ts"
import { createAgent } from "../promise/CreateAgent.ts"
import type { ReinsModel, ReinsModelOptions, ReinsOptions, ReinsProvider } from "./AiSdk.ts"
import { makeModel } from "./model.ts"

const names = ["hostTools", "system", "approvals", "onPermission", "questions", "onQuestion"] as const

/** The options of the model, and those of its agent. Undefined ones are ignored: any other needs a live session. */
const apart = (input: ReinsOptions) => {
  const { hostTools, system, approvals, onPermission, questions, onQuestion, ...agent } = input
  return { use: present({ hostTools, system, approvals, onPermission, questions, onQuestion }), agent }
}

const overAgent = (agent: PlainAgent, options: ReinsModelOptions): ReinsModel => {
  const other = Object.keys(options).find((name) => !names.some((known) => known === name))
  if (other !== undefined)
    throw typeErrorAt(overAgent, `reins: ${other} is an option of the agent, which is made already`)
  return makeModel(agent, agent.cli, present(options))
}

/** `claude/opus`: the CLI and its model, whose name may have slashes. */
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

/** A provider whose models all have these options; those of a model override them, its `defaults` one by one. */
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
