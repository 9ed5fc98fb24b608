/** How help and version look, and who hears of an invalid command line. */
import { Effect, Layer } from "effect"
import { CliConfig, CliOutput, GlobalFlag } from "effect/cli"
import { completionsFlag } from "./complete.ts"
import { styled } from "./sequences.ts"

export type Invalid = CliOutput.Presenter.InvalidInvocation

/** The invalid input is passed to the printer: the whole help would push it off the screen. */
const presenter = (onInvalid: (event: Invalid) => void): CliOutput.Presenter => ({
  present: (event) =>
    event._tag === "InvalidInvocation" ? Effect.sync(() => onInvalid(event)) : CliOutput.defaultPresenter.present(event)
})

const base = CliOutput.defaultFormatter({ globalFlags: "summary" })

/** Hides from the help that a switch may have a value (`--json=false`). */
const formatter: CliOutput.Formatter = {
  ...base,
  formatVersion: (name, version) => styled(base.formatVersion(name, version)),
  formatHelpDoc: (doc) =>
    styled(
      base.formatHelpDoc({
        ...doc,
        flags: doc.flags.map((flag) => (flag.type === "[=boolean]" ? { ...flag, type: "boolean" } : flag))
      })
    )
}

export const usage = (onInvalid: (event: Invalid) => void) =>
  Layer.mergeAll(
    CliOutput.layerPresenter(presenter(onInvalid)),
    CliOutput.layer(formatter),
    CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, completionsFlag, GlobalFlag.LogLevel] })
  )
