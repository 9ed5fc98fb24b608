/** The agent's report of its session, and the requests for another mode or model; pure. */
import type { AgentEvent } from "../../../contract/AgentEvent.ts"
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
  ...(model === undefined ? {} : { model }),
  ...(modeId === undefined ? {} : { permissionMode: modeId }),
  ...(cliVersion === undefined ? {} : { cliVersion })
})

const choose = (session: AcpSession, name: string, value: string): AcpRequest | undefined => {
  const choice = choiceFor(session, name)
  if (choice === undefined) return undefined
  return { method: "session/set_config_option", params: { configId: choice.id, value } }
}

/** Undefined where the agent has no modes. */
export const askForMode = (session: AcpSession, modeId: string): AcpRequest | undefined => {
  const request = session.hasModes
    ? { method: "session/set_mode", params: { modeId } }
    : choose(session, "mode", modeId)
  return request && { ...request, sets: { modeId } }
}

/** Undefined where it has no choice of models. */
export const askForModel = (session: AcpSession, model: string): AcpRequest | undefined => {
  const request = session.hasModels
    ? { method: "session/set_model", params: { modelId: model } }
    : choose(session, "model", model)
  return request && { ...request, sets: { model } }
}

export const askForEffort = (session: AcpSession, effort: string): AcpRequest | undefined =>
  choose(session, "thought_level", effort) ?? choose(session, "effort", effort)
