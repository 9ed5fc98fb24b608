/** The user's configuration, and the CLIs of this machine, for plain callers. */
import { Effect } from "effect"
import type { Configuration, ConfigurationOptions } from "../../contract/Configuration.ts"
import type { DoctorOptions, DoctorReport } from "../../contract/DoctorReport.ts"
import { nodePlatform } from "../../system/process/Platform.ts"
import * as Module from "../Configuration.ts"
import * as Doctor from "../Doctor.ts"
import { warnings } from "./Errors.ts"

/**
 * Reads `reins/reins.toml` in the user's directory for configuration (`$XDG_CONFIG_HOME`, else the platform's place, such
 * as `~/.config`), or the file that is named. Without a file nothing is configured. Rejects with a `ConfigurationError`
 * for a file that others can have written, an unknown key or an invalid value; then nothing of it is in effect.
 */
export const readConfiguration = (options?: ConfigurationOptions): Promise<Configuration> =>
  Effect.runPromise(Module.readConfiguration(options))

/**
 * Looks for the CLIs on PATH and asks each for its version and whether it is signed in: no model is asked. Restores
 * settings files of the working directory that a killed run has left changed, as the next run would. Rejects with a
 * `TypeError` for invalid options, and where the current directory was removed, and for nothing else.
 */
export const doctor = (options?: DoctorOptions): Promise<DoctorReport> =>
  Effect.runPromise(Effect.provide(Doctor.doctor(options), [nodePlatform, warnings]))
