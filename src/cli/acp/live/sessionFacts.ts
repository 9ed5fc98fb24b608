/** The agent's report of its session, and the requests for another mode or model; pure. */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
import type { PermissionMode } from "../../../contract/AgentExecuteParams.ts"
import { present } from "../../jsonFields.ts"
import { type ConfigOption, type SessionResult, valuesOf } from "../wire.ts"
import type { AcpRequest, AcpSession, ConfigChoice } from "./flavor.ts"

const choiceOf = ({ id, category, currentValue, options }: ConfigOption): ConfigChoice => ({
  id,
  category: category ?? undefined,
  value: typeof currentValue === "string" ? currentValue : undefined,
  values: valuesOf(options ?? [])
})

export const choiceFor = ({ choices }: Pick<AcpSession, "choices">, name: string): ConfigChoice | undefined =>
  choices.find(({ id, category }) => category === name || id === name)

/** Configuration always comes whole. */
export const withChoices = (session: AcpSession, options: ReadonlyArray<ConfigOption>): AcpSession => {
  const next = { ...session, choices: options.map(choiceOf) }
  const mode = choiceFor(next, "mode")
  return {
    ...next,
    modeId: session.hasModes ? session.modeId : (mode?.value ?? session.modeId),
    modeIds: session.hasModes ? session.modeIds : (mode?.values ?? session.modeIds),
    model: choiceFor(next, "model")?.value ?? session.model
  }
}

export const sessionOf = (result: SessionResult, sessionId: string, cliVersion: string | undefined): AcpSession => {
  const { modes, models, configOptions } = result
  const session: AcpSession = {
    sessionId,
    hasModes: modes != null,
    hasModels: models != null,
    modeId: modes?.currentModeId ?? undefined,
    firstModeId: undefined,
    modeIds: modes?.availableModes?.map(({ id }) => id) ?? [],
    model: models?.currentModelId ?? undefined,
    choices: [],
    cliVersion
  }
  const facts = withChoices(session, configOptions ?? [])
  return { ...facts, firstModeId: facts.modeId }
}

export const sessionEvent = ({ sessionId, model, modeId, cliVersion }: AcpSession): AgentEvent => ({
  type: "session",
  sessionId,
  ...present({ model, permissionMode: modeId, cliVersion })
})

const choose = (session: AcpSession, name: string, value: string): AcpRequest | undefined => {
  const choice = choiceFor(session, name)
  return choice && { method: "session/set_config_option", params: { configId: choice.id, value } }
}

/** Undefined if the agent has no modes. */
export const askForMode = (session: AcpSession, modeId: string): AcpRequest | undefined => {
  const request = session.hasModes
    ? { method: "session/set_mode", params: { modeId } }
    : choose(session, "mode", modeId)
  return request && { ...request, sets: { modeId } }
}

/** The request, which sets the permission mode, too, when it is granted. */
export const withMode = (request: AcpRequest | undefined, permissionMode: PermissionMode): AcpRequest | undefined =>
  request && { ...request, sets: { ...request.sets, permissionMode } }

/** Undefined if the agent has no choice of models. */
export const askForModel = (session: AcpSession, model: string): AcpRequest | undefined => {
  const request = session.hasModels
    ? { method: "session/set_model", params: { modelId: model } }
    : choose(session, "model", model)
  return request && { ...request, sets: { model } }
}

export const askForEffort = (session: AcpSession, effort: string): AcpRequest | undefined =>
  choose(session, "thought_level", effort) ?? choose(session, "effort", effort)
