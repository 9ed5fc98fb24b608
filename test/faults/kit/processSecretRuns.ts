/** Runs that were given secrets in every place that takes one, in the directories of a user. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Stream } from "effect"
import { AgentRuntime } from "../../../src/agents/AgentRuntime.ts"
import { type CliId, clis } from "../../../src/agents/Agents.ts"
import type { AgentExecuteParams } from "../../../src/contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../../../src/contract/AgentOptions.ts"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { nodePlatform } from "../../../src/system/process/Platform.ts"
import { programPath } from "../../kit/agent.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { makeUser } from "./processFiles.ts"
import { hostWith, makeSecrets, optionsWith, paramsWith } from "./processSecrets.ts"

export interface SecretRun {
  readonly args?: ReadonlyArray<string>
  readonly options?: AgentOptions
  readonly params?: Partial<AgentExecuteParams>
  /** Beside the variables that hold secrets. */
  readonly env?: AgentExecuteParams["env"]
  /** A second after its start. */
  readonly isAborted?: boolean
  /** The user's settings have a secret in them, and are not JSON. */
  readonly hasBrokenSettings?: boolean
}

/** Its stderr is too long to be kept whole. */
const program = [programPath("tells-environment"), "--times=20"]

export const makeSecretRun = Effect.fnUntraced(function* (id: CliId, run: SecretRun) {
  const { args = [], options, params, env } = run
  const secrets = makeSecrets()
  const user = yield* makeUser
  const record = join(yield* makeDirectory, "wire.ndjson")
  const layer = AgentRuntime.layer(clis[id], {
    command: process.execPath,
    baseArgs: [...program, ...args],
    killGrace: 500,
    ...optionsWith(secrets),
    ...options
  })
  if (run.hasBrokenSettings) writeFileSync(join(user.configured, ".gemini/settings.json"), `{ "${secrets.named}`)
  const signal = () => (run.isAborted ? { abortSignal: AbortSignal.timeout(1_000) } : {})
  const secret = paramsWith(clis[id], secrets)
  const own = { ...secret, env: { ...secret.env, ...env } }
  const input = { ...own, workingDirectory: user.configured, record, ...params }
  const inPlace = <A, E>(effect: Effect.Effect<A, E, AgentRuntime>) =>
    effect.pipe(
      Effect.provide(layer),
      Effect.provide(nodePlatform),
      Effect.provideService(HostEnvironment, { ...hostWith(secrets), HOME: user.home, TMPDIR: user.tmp })
    )
  return {
    secrets,
    user,
    record,
    /** All events. */
    events: inPlace(AgentRuntime.use((agent) => Stream.runCollect(agent.execute({ ...input, ...signal() })))),
    /** The result, or an error. */
    result: inPlace(AgentRuntime.use((agent) => agent.run({ ...input, ...signal() })))
  }
})
