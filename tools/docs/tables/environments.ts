// Where a host may run: what holds there, and the test that tries it.
import { code, table } from "../kit/markdown.ts"

interface TestedEnvironment {
  readonly name: string
  readonly holds: string
  /** Path of the file, from the root. */
  readonly file: string
  /** As the file writes it, or with its values in the place of `%s`. */
  readonly test: string
}

const anyEnvironment = "test/faults/environments.test.ts"
const alone = (name: string) => ({
  file: anyEnvironment,
  test: `${name}, a run that answers, by the program and by the library`
})
const door = (name: string) => ({ file: anyEnvironment, test: `a run that answers, by ${name}` })

export const testedEnvironments: ReadonlyArray<TestedEnvironment> = [
  {
    name: "process 1, the program",
    holds: "starts itself again below a shell that forwards signals and reaps; ends with its own exit code",
    file: "test/program/serve/firstProcess.process.test.ts",
    test: "leaves no entries in the process table, and drains on SIGTERM"
  },
  {
    name: "process 1, the library",
    holds: "runs, and warns once that nothing reaps, with the cure",
    file: "test/system/process/firstProcess.process.test.ts",
    test: "that is process 1 warns once, with the cure; orphans are seen to stay"
  },
  {
    name: "no `HOME`",
    holds: "the home of the password database is used",
    file: "test/program/places.process.test.ts",
    test: "the program uses the home of the password database"
  },
  {
    name: "no `HOME` and no name, or `HOME=/`",
    holds: "runs without configuration and store, with one warning",
    file: "test/program/places.process.test.ts",
    test: "a user without a name and without HOME runs an agent, with one warning"
  },
  { name: "no terminal", holds: "the same events and exit codes", ...alone("no terminal") },
  {
    name: "stdin, stdout or stderr closed",
    holds: "runs to its end; the exit code tells the outcome",
    ...alone("closed stdin and stdout")
  },
  {
    name: "full disk",
    holds:
      "completes if nothing has to be written; what has to be is refused by name. Usage is not kept, with a warning",
    file: "test/faults/refusalsFiles.test.ts",
    test: "disk (ENOSPC): what must be written is refused by name, what need not be is done without"
  },
  {
    name: "read-only file system",
    holds: "completes with one writable directory for its state; without one, nothing is kept, with a warning",
    file: "test/faults/container.test.ts",
    test: "the program runs an agent as process 1, with a volume for its state and nothing else"
  },
  {
    name: "few descriptors, the library",
    holds:
      "each run completes, or fails with `spawn_failed` or `settings_unreadable`, naming `ulimit -n`; the host lives on",
    file: "test/faults/refusalsHosts.test.ts",
    test: "files to open (EMFILE): each run says so or completes, whatever number is left, and nothing stays"
  },
  {
    name: "few descriptors, the program",
    holds: "the same; with too few to load its own files, exit code 2",
    file: anyEnvironment,
    test: "few descriptors, any number with which Node starts, by the program"
  },
  {
    name: "deleted working directory, the program",
    holds: "exit code 2, with the cure; `reins run --cwd DIR` works",
    file: "test/program/places.process.test.ts",
    test: "that was removed is refused by run, which can have another one"
  },
  {
    name: "deleted working directory, the library",
    holds: "runs with a relative directory fail with `invalid_params`, those with an absolute one complete",
    file: "test/faults/refusalsHosts.test.ts",
    test: "its own directory (removed): what is relative to it is refused, what is absolute runs"
  },
  { name: "small heap", holds: "completes with `--max-old-space-size=32`", ...alone("small heap") },
  { name: "worker thread", holds: "the same as on the main thread", ...door("the library in a worker thread") },
  {
    name: "fake timers",
    holds: "runs end if `setImmediate` stays real; else a warning says so",
    file: "test/doors/fakeTimers.isolated.process.test.ts",
    test: "that leave setImmediate real let a run end"
  },
  {
    name: "bundled by rolldown or esbuild, as ES module or CommonJS",
    holds: "`reins/promise` works; `reins/testing` says that it has to stay outside",
    file: "test/package/bundled.faults.test.ts",
    test: "runs the plain door"
  },
  {
    name: "Bun, Deno, Node.js 20",
    holds: "see [Other runtimes](#other-runtimes). Tested where they can be installed",
    file: "test/package/runtimes.faults.test.ts",
    test: "runs the program"
  },
  {
    name: "any two of these at once",
    holds: "exactly one `done`, as the last event, or exit code 2 with the cure; nothing is left running",
    file: anyEnvironment,
    test: "or two at once, by any door, whatever the CLI does: exactly one done, or exit code 2 with a cure"
  }
]

export const testedEnvironmentsTable = () =>
  table(
    ["where", "what holds", "test"],
    testedEnvironments.map(({ name, holds, file, test }) => [name, holds, `${code(file)}: ${test}`])
  )
