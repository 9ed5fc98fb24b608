/** Examines this machine and the CLIs on it, without asking a model; and restores what killed runs have left changed. */
import { delimiter } from "node:path"
import { Array as Arr, Effect, Path } from "effect"
import type { Cli } from "../../cli/Cli.ts"
import type {
  AgentReport,
  DoctorOptions,
  DoctorProblem,
  DoctorReport,
  StoreReport
} from "../../contract/DoctorReport.ts"
import { present } from "../../contract/present.ts"
import { installHelp } from "../../contract/Refusals.ts"
import { untraced } from "../../contract/untraced.ts"
import { areOrphansReaped, orphansStay, reapingCure } from "../../system/process/firstProcess.ts"
import { HostEnvironment } from "../../system/process/HostEnvironment.ts"
import { Host } from "../../system/process/host.ts"
import { isNodeOk, oldestNode } from "../../system/process/nodeVersion.ts"
import { findOldJournals, recoverSettings } from "../../system/settings/recover.ts"
import { examine, hasFailed } from "./examine.ts"

type Found = Omit<DoctorReport, "problems">

const ofVersion = (found: AgentReport): ReadonlyArray<DoctorProblem> => {
  const { agent: about, status, version, problem = "", install, testedVersion, oldestVersion } = found
  const update = `Install the tested version: ${install}@${testedVersion}`
  switch (status) {
    case "missing":
      return [{ about, severity: "error", problem: `It was ${problem}.`, cure: installHelp(found) }]
    case "broken":
      return [{ about, severity: "error", problem: `It was found, but ${problem}.`, cure: update }]
    case "older": {
      const sentence = `${version} is older than ${oldestVersion}, the oldest version that is known to work: ${problem}.`
      return [{ about, severity: "error", problem: sentence, cure: update }]
    }
    case "newer": {
      const sentence = `${version} is newer than the tested ${testedVersion}: new kinds of output may be "unknown" events.`
      return [warning(about, sentence, `Where that disturbs, ${lower(update)}`)]
    }
    default:
      return []
  }
}

const upper = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
const lower = (text: string) => `${text.charAt(0).toLowerCase()}${text.slice(1)}`

const ofAgent = (found: AgentReport): ReadonlyArray<DoctorProblem> => {
  const { agent: about, signedIn, signIn } = found
  const out = { about, severity: "error", problem: "It is not signed in.", cure: `To sign in: ${signIn}` } as const
  return [...ofVersion(found), ...(signedIn === false ? [out] : [])]
}

const warning = (about: DoctorProblem["about"], problem: string, cure?: string): DoctorProblem => ({
  about,
  severity: "warning",
  problem,
  ...present({ cure })
})

/** Warnings: runs work without a store. */
export const problemsOfStore = ({ problem, cure, movedAside }: StoreReport): ReadonlyArray<DoctorProblem> => [
  ...(problem === undefined ? [] : [warning("store", problem, cure)]),
  ...movedAside.map((file) =>
    warning(
      "store",
      `${file}: a store that was damaged, and moved aside. It has no effect.`,
      "Save what you need of it, then remove it"
    )
  )
]

/** Findings → problems and warnings, each with a fix; pure. */
export const problemsOf = (found: Found): ReadonlyArray<DoctorProblem> => {
  const { node, agents, notGuaranteed, orphansReaped, settings, oldJournals, store } = found
  const ofNode: DoctorProblem = {
    about: "node",
    severity: "error",
    problem: `Node ${node.version} is too old: ${node.required} is needed.`,
    cure: `Install Node ${node.required}`
  }
  const pending = settings.filter(({ isPending }) => isPending)
  return [
    ...(node.ok ? [] : [ofNode]),
    ...agents.flatMap(ofAgent),
    ...(notGuaranteed === undefined ? [] : [warning("platform", notGuaranteed)]),
    ...(orphansReaped === false ? [warning("platform", `${orphansStay}.`, upper(reapingCure))] : []),
    ...pending.map(({ file }) =>
      warning(
        "settings",
        `${file}: a killed run left it changed, and it cannot be restored while it is not valid JSON.`,
        "Correct the file: the next run restores it"
      )
    ),
    ...oldJournals.map((file) =>
      warning(
        "settings",
        `${file}: left by an older version, or created by someone else. It has no effect.`,
        "Check it, then remove it"
      )
    ),
    ...problemsOfStore(store)
  ]
}

/** Loads the code that examines a database only where there may be one. */
export const examineStore = ({
  directory,
  postgres
}: NonNullable<DoctorOptions["store"]> = {}): Effect.Effect<StoreReport> =>
  postgres === undefined
    ? Effect.flatMap(
        Effect.promise(() => import("../../conversations/store/examineFile.ts")),
        ({ examineFile }) => examineFile(directory)
      )
    : Effect.flatMap(
        Effect.promise(() => import("../../conversations/store/examinePostgres.ts")),
        ({ examinePostgres }) => examinePostgres(postgres)
      )

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

/** Journals of an older version or of another user: they are reported, and stay. */
const oldJournals = (clis: ReadonlyArray<Cli>, directory: string) =>
  Effect.forEach(settingsPaths(clis), ({ path }) =>
    Effect.orElseSucceed(findOldJournals(directory, path), () => [])
  ).pipe(Effect.map(Arr.flatten))

interface DiagnoseOptions {
  readonly checked: ReadonlyArray<Cli>
  /** All CLIs whose settings may have been left changed. */
  readonly all: ReadonlyArray<Cli>
  readonly workingDirectory?: string | undefined
  readonly store?: DoctorOptions["store"] | undefined
}

export const diagnose = Effect.fn(...untraced("Api.diagnose"))(function* ({
  checked,
  all,
  workingDirectory = ".",
  store
}: DiagnoseOptions) {
  const host = yield* HostEnvironment
  const directory = (yield* Path.Path).resolve(workingDirectory)
  const directories = (host["PATH"] ?? "").split(delimiter)
  const examined = Effect.forEach(checked, (cli) => examine(cli, directories, host), { concurrency: "unbounded" })
  const [agents, orphansReaped] = yield* Effect.all([examined, areOrphansReaped()], { concurrency: "unbounded" })
  const node = { version: process.version, required: `>=${oldestNode}`, ok: isNodeOk(process.version) }
  const { notGuaranteed } = (yield* Host).processes
  const found: Found = {
    node,
    agents,
    ...present({ notGuaranteed, orphansReaped }),
    settings: yield* recoverAll(all, directory),
    oldJournals: yield* oldJournals(all, directory),
    store: yield* examineStore(store),
    failed: [...agents.filter(hasFailed).map(({ agent }) => agent), ...(node.ok ? [] : ["node"])]
  }
  return { ...found, problems: problemsOf(found) } satisfies DoctorReport
})
