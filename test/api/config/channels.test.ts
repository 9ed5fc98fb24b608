/** The tables of channels in `reins.toml`: the same keys and checks for each, by its row. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type ChannelKind, channels } from "../../../src/api/config/channels.ts"
import { checkText } from "../../../src/api/config/check.ts"
import { ownVariables } from "../../../src/api/config/secrets.ts"

const check = (text: string, isPrivate = true) =>
  Result.mapError(checkText({ file: "/c/reins.toml", text, home: "/home/me", isPrivate }), (problems) =>
    problems.map(({ line, problem }) => `${line}: ${problem}`)
  )

/** Everything that it needs, with secrets in the environment. */
const tableOf = ({ id, secrets, keys = [] }: ChannelKind): string =>
  [
    `[${id}]`,
    ...secrets.map(({ key, variable }) => `${key} = { env = "${variable}" }`),
    ...keys.flatMap(({ name, example }) => (example === undefined ? [] : [`${name} = "${example}"`])),
    ""
  ].join("\n")

const all = channels.map((channel) => [channel.id, channel] as const)

describe.each(all)("[%s]", (id, channel) => {
  const { secrets, person, chat, group } = channel
  const table = tableOf(channel)

  it("has people, groups and targets, as the examples have them", () => {
    const groups = group === undefined ? "" : `[${id}.groups.${group.example}]\nusers = [${person.example}]\n`
    const target = `[gateway.targets.team]\nchannel = "${id}"\nchat = ${chat.example}\n`
    const read = check(`${table}owners = [${person.example}]\n${groups}${target}`)
    assert.isTrue(Result.isSuccess(read), JSON.stringify(read))
    if (Result.isFailure(read)) return
    assert.deepStrictEqual(read.success[id]?.owners, [person.example.replaceAll('"', "")])
    assert.deepStrictEqual(
      ownVariables(read.success),
      secrets.map(({ variable }) => variable)
    )
  })

  it("needs each of its secrets, and from one place", () => {
    for (const { key, variable } of secrets) {
      const line = `${key} = { env = "${variable}" }`
      assert.deepStrictEqual(
        check(table.replace(`${line}\n`, "")),
        Result.fail([`1: ${id} has no ${key}: write ${line}`])
      )
      const both = check(table.replace(line, `${key} = { env = "A", file = "/b" }`))
      assert.match(JSON.stringify(both), /has both env and file, or none of them; keep one/)
    }
  })

  it("does not show a secret that is wrong, and has none in a file that others can read", () => {
    for (const { key } of secrets) {
      const visible = JSON.stringify(check(`[${id}]\n${key} = "hunter2 hunter2"\n`))
      assert.include(visible, `${id}.${key} is not `)
      assert.notInclude(visible, "hunter2")
    }
  })

  it.each(["'@ann'", "'ann smith'", "'ann'", "-1", "0", "1.5", "''", "'*'", "[]", "'1\\u202e2'"])(
    "lists no %s",
    (item) => {
      const visible = JSON.stringify(check(`${table}owners = [${item}]\n`))
      assert.match(visible, new RegExp(`${id}\\.owners (?:has|contains) `))
    }
  )

  it("refuses a group and a target that cannot be there", () => {
    const wrongGroup = check(`${table}[${id}.groups.family]\nmention = true\n`)
    assert.match(
      JSON.stringify(wrongGroup),
      group === undefined ? /unknown key \\"groups\\"/ : /is not the id of a group, such as/
    )
    const wrongTarget = check(`${table}[gateway.targets.team]\nchat = "family"\n`)
    assert.match(JSON.stringify(wrongTarget), /gateway\.targets\.team\.chat is not the id of a chat on \w+, such as/)
  })
})

describe("several channels", () => {
  const both = channels.slice(0, 2).map(tableOf).join("")
  const target = (more: string) => check(`${both}[gateway.targets.team]\nchat = "C0123ABCD"\n${more}`)

  it("need a channel for each target", () => {
    assert.match(
      JSON.stringify(target("")),
      /gateway\.targets\.team has no channel: write one of \\"telegram\\", \\"slack\\"/
    )
    assert.match(JSON.stringify(target('channel = "discord"')), /team\.channel has no table \[discord\]/)
    assert.match(JSON.stringify(target('channel = "telegram"')), /team\.chat is not the id of a chat on Telegram/)
    assert.isTrue(Result.isSuccess(target('channel = "slack"')))
  })

  it("take no number for an id that a number cannot hold", () => {
    assert.match(
      JSON.stringify(check("[discord]\ntoken = { env = 'D' }\nowners = [102030405060708090]")),
      /Integer out of range; an id of so many digits stands in quotes/
    )
  })

  it("can answer in every group, where ids are long", () => {
    const [telegram = "", slack = "", discord = ""] = channels.map(tableOf)
    for (const [id, table] of [
      ["slack", slack],
      ["discord", discord]
    ] as const)
      assert.isTrue(Result.isSuccess(check(`${table}[${id}.groups."*"]\nmention = true`)))
    assert.isTrue(Result.isFailure(check(`${telegram}[telegram.groups."*"]\nmention = true`)))
  })
})
