// The environment of the test run itself, built from nothing, and where the pinned CLIs are found. Each test's CLI gets
// one of its own from the test kit.
import { delimiter, dirname } from "node:path"
import { cleanEnvironment, madeUpKey } from "../../../src/testing/sandbox/surroundings.ts"

const systemFolders = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]

/** The commands of the pinned CLIs first, then this Node. */
export const pathOf = (commands: ReadonlyArray<string>): string =>
  [...commands.map(dirname), dirname(process.execPath), ...systemFolders].join(delimiter)

/** The key shows the guard that a run was begun by the launcher. */
export const launcherEnvironment = (folders: {
  readonly home: string
  readonly tmp: string
  readonly commands: ReadonlyArray<string>
}): Record<string, string> => ({
  ...cleanEnvironment({ home: folders.home, tmp: folders.tmp, path: pathOf(folders.commands) }),
  ANTHROPIC_API_KEY: madeUpKey
})

/** As the option of an agent: the CLI has these variables, and none of the test run's. */
export const only = (values: Readonly<Record<string, string | undefined>>) =>
  ({ policy: "allow-list", allow: [], values }) as const
