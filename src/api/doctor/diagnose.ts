/** Examines this machine and the CLIs on it, without asking a model; and restores what killed runs have left changed. */
import { delimiter } from "node:path"
import { Array as Arr, Effect, Path } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type { DoctorOptions, DoctorReport } from "../../contract/DoctorReport.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"
import { Host } from "../../system/process/host.ts"
import { isNodeOk, oldestNode } from "../../system/process/nodeVersion.ts"
import { findOldJournals } from "../../system/settings/oldJournals.ts"
import { recoverSettings } from "../../system/settings/recover.ts"
import { examine, hasFailed } from "./examine.ts"
import { examineStore } from "./examineStore.ts"
import { problemsOf } from "./problems.ts"

const settingsPaths = (clis: ReadonlyArray<Cli>) =>
  clis.flatMap(({ id, settingsPath: path }) => (path === undefined ? [] : [{ id, path }]))

/** Restores settings files of the directory that killed runs have left changed. */
const recoverAll = (clis: ReadonlyArray<Cli>, directory: string) =>
  Effect.forEach(settingsPaths(clis), ({ id, path }) =>
    recoverSettings(directory, path).pipe(
      Effect.tapError((error) =>
        Effect.logWarning(`the settings of ${id} in this directory could not be checked: ${error.message}`)
      ),
      Effect.option
    )
  ).pipe(Effect.map(Arr.getSomes))

/** Journals in the directory are from an older version or from somebody else: they are reported and left alone. */
const oldJournals = (clis: ReadonlyArray<Cli>, directory: string) =>
  Effect.forEach(settingsPaths(clis), ({ path }) =>
    Effect.orElseSucceed(findOldJournals(directory, path), () => [])
  ).pipe(Effect.map(Arr.flatten))

export interface DiagnoseOptions {
  /** The CLIs to look at. */
  readonly checked: ReadonlyArray<Cli>
  /** All CLIs whose settings may have been left changed. */
  readonly all: ReadonlyArray<Cli>
  readonly workingDirectory?: string | undefined
  readonly store?: DoctorOptions["store"] | undefined
}

export const diagnose = Effect.fnUntraced(function* ({
  checked,
  all,
  workingDirectory = ".",
  store
}: DiagnoseOptions) {
  const host = yield* HostEnvironment
  const directory = (yield* Path.Path).resolve(workingDirectory)
  const directories = (host["PATH"] ?? "").split(delimiter)
  const agents = yield* Effect.forEach(checked, (cli) => examine(cli, directories, host), { concurrency: "unbounded" })
  const node = { version: process.version, required: `>=${oldestNode}`, ok: isNodeOk(process.version) }
  const { notGuaranteed } = (yield* Host).processes
  const found: Omit<DoctorReport, "problems"> = {
    node,
    agents,
    ...(notGuaranteed === undefined ? {} : { notGuaranteed }),
    settings: yield* recoverAll(all, directory),
    oldJournals: yield* oldJournals(all, directory),
    store: yield* examineStore(store),
    failed: [...agents.filter(hasFailed).map(({ agent }) => agent), ...(node.ok ? [] : ["node"])]
  }
  const report: DoctorReport = { ...found, problems: problemsOf(found) }
  return report
})
