/** What is wrong with flags of a run that another machine performs: its paths are those of that one, and so are its agent's settings; pure. */
import { isAbsolute } from "node:path"
import { Option } from "effect"
import type { SharedFlags } from "../flags.ts"

type ElsewhereFlags = Pick<SharedFlags, "cwd" | "addDir" | "command" | "record" | "budget" | "billing" | "killGrace"> &
  Pick<SharedFlags, "maxLine">

export const elsewhereProblems = (flags: ElsewhereFlags): ReadonlyArray<string> => {
  const { cwd, addDir, command, record, budget, billing, killGrace, maxLine } = flags
  const relative = [
    ...Option.toArray(cwd).map((path) => ["--cwd", path] as const),
    ...addDir.map((path) => ["--add-dir", path] as const)
  ].filter(([, path]) => !isAbsolute(path))
  const ofHome = [
    ...(Option.isSome(command) ? ["--command"] : []),
    ...(Option.isSome(billing) ? ["--billing"] : []),
    ...(Option.isSome(killGrace) ? ["--kill-grace"] : []),
    ...(Option.isSome(maxLine) ? ["--max-line"] : [])
  ]
  return [
    ...relative.map(
      ([flag, path]) => `${flag} ${path}: is relative, and the agent may be on another machine: name an absolute path`
    ),
    ...ofHome.map(
      (flag) => `${flag}: with --database, the agent is that of its home, as it is set there: leave it out`
    ),
    ...(budget.length > 0
      ? ["--budget: with --database, budgets are those of the home's configuration: set it there"]
      : []),
    ...(Option.isSome(record) ? ["--record: with --database, the lines are on another machine: leave it out"] : [])
  ]
}
