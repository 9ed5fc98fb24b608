/** `readConfiguration` for plain callers. */
import { Effect } from "effect"
import type { Configuration, ConfigurationOptions } from "../../contract/Configuration.ts"
import * as Module from "../Configuration.ts"

/**
 * Reads `reins/reins.toml` in the user's directory for configuration (`$XDG_CONFIG_HOME`, else the platform's place, such
 * as `~/.config`), or the file that is named. Without a file nothing is configured. Rejects with a `ConfigurationError`
 * for a file that others can have written, an unknown key or an invalid value; nothing of it is in effect then.
 */
export const readConfiguration = (options?: ConfigurationOptions): Promise<Configuration> =>
  Effect.runPromise(Module.readConfiguration(options))
