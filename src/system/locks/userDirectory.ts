/** The user's own directories for Reins, by the rules of the platform: `$XDG_CONFIG_HOME/reins`, else `~/.config/reins`. */
import { ConfigProvider, Effect } from "effect"
// Loaded with the library: later, no more files may be open.
import { make } from "effect/persistence/UserDirectories"
import { HostEnvironment } from "../process/HostEnvironment.ts"
import { Host } from "../process/host.ts"

/** Its path; nothing is created. Fails where the environment names no home. */
export const findUserDirectory = Effect.fnUntraced(function* (kind: "config" | "state") {
  const env = yield* HostEnvironment
  const known = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
  const provider = ConfigProvider.fromEnv({ env: Object.fromEntries(known) })
  const { platform } = yield* Host
  return yield* Effect.provideService(make({ platform })[kind]("reins"), ConfigProvider.ConfigProvider, provider)
})
