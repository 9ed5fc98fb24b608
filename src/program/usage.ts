/** Help and version on stdout, errors of the command line on stderr. */
import { Console, Layer } from "effect"
import { CliConfig, CliOutput, GlobalFlag } from "effect/cli"
import { styled } from "./sequences.ts"

/** A few lines: the problem, the usage, where to read more. The whole help would push them off the screen. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    if (event._tag !== "InvalidInvocation") return CliOutput.defaultPresenter.present(event)
    const problems = event.errors.map((error) => `reins: ${error.message}`)
    const usage = [`Usage: ${event.helpDoc.usage}`, `Help:  ${event.commandPath.join(" ")} --help`]
    return Console.error([...problems, ...usage].join("\n"))
  }
}

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

export const usage = Layer.mergeAll(
  CliOutput.layerPresenter(presenter),
  CliOutput.layer(formatter),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions, GlobalFlag.LogLevel] })
)
