/**
 * What is around the process of a run or a live session: its turn to start, private files, the CLI's settings file, the
 * recording and the watchdog. Closing the scope undoes all of it.
 */
import { Effect } from "effect"
import type { Cli } from "../cli/Cli.ts"
import { type Aborted, TimedOut } from "../contract/AgentError.ts"
import type { NoticeEvent } from "../contract/AgentEvent.ts"
import type { AgentExecuteParams } from "../contract/AgentExecuteParams.ts"
import type { AgentOptions } from "../contract/AgentOptions.ts"
import type { LivePlan } from "../contract/Plan.ts"
import { writePrivateFiles } from "../process/privateFiles.ts"
import { makeRedactor } from "../process/redactor.ts"
import { leaseSettings } from "../settings/lease.ts"
import { recoverSettings } from "../settings/recover.ts"
import { StartGovernor } from "./governor.ts"
import type { Prepared } from "./prepare.ts"
import { makeRecorder } from "./recorder.ts"
import { makeWatchdog } from "./watchdog.ts"

type StartParams = Pick<AgentExecuteParams, "sessionId" | "forkSession" | "record">

/** The settings file that the CLI reads at its start: extended by what the plan says, or as the user has it. */
const leaseOf = (
  cli: Cli,
  { plan: { settings }, workingDirectory: directory }: Prepared<unknown, LivePlan>,
  onNotice: (notice: NoticeEvent) => void
) => {
  const onWarning = (message: string) => onNotice({ type: "notice", kind: "warning", message })
  if (settings !== undefined) return leaseSettings({ directory, ...settings, secret: false, onWarning })
  const recovered = cli.settingsPath === undefined ? Effect.void : recoverSettings(directory, cli.settingsPath)
  return Effect.as(Effect.ignore(recovered), { giveBack: Effect.void })
}

/** What a run has around its process: it waits for its turn first, and undoes all of this when its scope closes. */
export const setUp = Effect.fnUntraced(function* (
  cli: Cli,
  options: AgentOptions,
  prepared: Prepared<StartParams, LivePlan>,
  onNotice: (notice: NoticeEvent) => void,
  leave: Effect.Effect<never, Aborted>
) {
  const { params, budgets } = prepared
  const { admit } = yield* StartGovernor
  const sessionId = params.forkSession === true ? undefined : params.sessionId
  const request = { cli: cli.id, limits: options.limits ?? {}, sessionId, onQueued: onNotice }
  const permit = yield* Effect.raceFirst(admit(request), leave)
  const redactor = makeRedactor(prepared.secrets)
  const record = yield* makeRecorder(params.record, redactor, onNotice)
  yield* writePrivateFiles(prepared.privateDirectory, prepared.plan)
  const watchdog = yield* makeWatchdog(budgets, onNotice)
  const settings = yield* Effect.raceAllFirst([
    leaseOf(cli, prepared, onNotice),
    leave,
    Effect.andThen(watchdog.expired, () => new TimedOut({ state: "total", budgetMs: budgets.total }))
  ])
  return { permit, redactor, record, watchdog, settings }
})
