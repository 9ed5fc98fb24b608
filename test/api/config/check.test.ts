/** `reins.toml` → the configuration, or each problem with its line and its fix. */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { channelOf } from "../../../src/api/config/channels.ts"
import { checkText, parseKey } from "../../../src/api/config/check.ts"
import { readValue } from "../../../src/api/config/forms.ts"
import { agentIds, keyAt, keys } from "../../../src/api/config/keys.ts"
import { clis } from "../../../src/cli/clis.ts"
import { PermissionMode } from "../../../src/contract/AgentExecuteParams.ts"
import { acpAgentIds } from "../../../src/contract/CliSupport.ts"

const check = (text: string) => checkText({ file: "/c/reins.toml", text, home: "/home/me" })
const problems = (text: string) => Result.match(check(text), { onSuccess: () => [], onFailure: (found) => found })
const first = (text: string) => problems(text).map(({ line, problem }) => `${line}: ${problem}`)[0]

/** A budget after another one, with its last lines at 5. */
const day = (lines: string) =>
  `[[budgets]]\nname = "all"\nwindow = "total"\nusd = 1\n[[budgets]]\n${lines}\nname = "day"\nwindow = "day"`

describe("a file", () => {
  it("that is valid", () => {
    const text = `agent = "codex"
directory = "shop"
zone = "Europe/Berlin"
whileBusy = "queue"
progress = "brief"
usage = false
priceFile = "~/prices.json"
[agents.claude]
model = "opus"
permissionMode = "plan"
allowedTools = ["Read", "Bash(git *)"]
billing = "subscription"
command = "~/bin/claude"
[directories.shop]
path = "~/code/shop"
[store]
database = { env = "DATABASE_URL" }
keep = { sessions = "2 weeks", transcripts = 0 }
[[budgets]]
name = "day"
window = "day"
usd = 5
[prices]
"gpt-reserve" = "gpt-5.6-luna"
local = { input = 0, output = 0 }
[telemetry]
content = true
[approvals]
allow = ["read", "command(npm test)"]
ask = ["*"]
[gateway]
profile = "full"
aliases = true
scheduleUsd = 0.5
[limits]
total = 4
[web]
port = 8080
host = "0.0.0.0"
hosts = ["agents.example"]
title = "Shop"
allowRemote = true
tls = { cert = "~/c.pem", key = "/k.pem" }
`
    assert.deepStrictEqual(
      check(text),
      Result.succeed({
        file: "/c/reins.toml",
        agent: "codex",
        directory: "shop",
        agents: {
          claude: {
            model: "opus",
            permissionMode: "plan",
            allowedTools: ["Read", "Bash(git *)"],
            billing: "subscription",
            command: "/home/me/bin/claude"
          }
        },
        directories: { shop: { path: "/home/me/code/shop" } },
        store: { database: { env: "DATABASE_URL" }, keep: { sessions: "2 weeks", transcripts: 0 } },
        zone: "Europe/Berlin",
        usage: false,
        priceFile: "/home/me/prices.json",
        budgets: [{ name: "day", window: "day", usd: 5 }],
        prices: { "gpt-reserve": "gpt-5.6-luna", local: { input: 0, output: 0 } },
        telemetry: { content: true },
        whileBusy: "queue",
        progress: "brief",
        approvals: { allow: ["read", "command(npm test)"], ask: ["*"] },
        gateway: { profile: "full", aliases: true, scheduleUsd: 0.5 },
        limits: { total: 4 },
        web: {
          port: 8080,
          host: "0.0.0.0",
          hosts: ["agents.example"],
          title: "Shop",
          allowRemote: true,
          tls: { cert: "/home/me/c.pem", key: "/k.pem" }
        }
      })
    )
  })

  it("with a bot, groups and chats: ids are texts, wherever they were numbers", () => {
    const text = `[telegram]
token = { file = "~/token" }
owners = [123456789, "42"]
users = []
apiRoot = "http://127.0.0.1:8081"
[telegram.groups."-1001234"]
users = [123]
approvers = ["42"]
mention = false
[chats."-1001234"]
agent = "codex"
model = "gpt"
permissionMode = "plan"
effort = "high"
directory = "shop"
planMode = "auto"
progress = "brief"
[chats.123456789]
progress = "off"
[directories.shop]
path = "/shop"
[gateway]
profile = "messaging"
[gateway.targets.team]
chat = "-1001234"
thread = "7"
description = "All of us"
[gateway.targets.ann]
chat = "123456789"
`
    assert.deepStrictEqual(
      check(text),
      Result.succeed({
        file: "/c/reins.toml",
        agents: {},
        telegram: {
          token: { file: "/home/me/token" },
          owners: ["123456789", "42"],
          users: [],
          apiRoot: "http://127.0.0.1:8081",
          groups: { "-1001234": { users: ["123"], approvers: ["42"], mention: false } }
        },
        chats: {
          "-1001234": {
            agent: "codex",
            model: "gpt",
            permissionMode: "plan",
            effort: "high",
            directory: "shop",
            planMode: "auto",
            progress: "brief"
          },
          "123456789": { progress: "off" }
        },
        directories: { shop: { path: "/shop" } },
        gateway: {
          profile: "messaging",
          targets: {
            team: { chat: "-1001234", thread: "7", description: "All of us" },
            ann: { chat: "123456789" }
          }
        }
      })
    )
  })

  it("has a token itself if only its owner can read it", () => {
    const [token, home] = [`12345:${"a".repeat(35)}`, "/home/me"]
    const text = `[telegram]\ntoken = "${token}"\n`
    assert.isTrue(Result.isSuccess(check(text)))
    const open = checkText({ file: "/c/reins.toml", text, home, isPrivate: false })
    assert.deepStrictEqual(
      Result.mapError(open, (found) => found.map(({ line, problem }) => `${line}: ${problem}`)),
      Result.fail(['2: telegram.token stands in a file that others can read: chmod 600 "/c/reins.toml"'])
    )
    assert.notInclude(JSON.stringify(open), token)
    const elsewhere = text.replace(`"${token}"`, '{ env = "BOT" }')
    assert.isTrue(
      Result.isSuccess(checkText({ file: "/c/reins.toml", text: elsewhere, home: "/home/me", isPrivate: false }))
    )
  })

  it("that is empty, or has only comments", () => {
    for (const text of ["", "\n", "# nothing yet\n", "\ufeff"])
      assert.deepStrictEqual(check(text), Result.succeed({ file: "/c/reins.toml", agents: {}, directories: {} }))
  })

  it.each([
    ['default_engine = "codex"', '1: unknown key "default_engine"; did you mean "agent"?'],
    ['[claude]\nallowed_tools = ["Bash"]', '1: unknown key "claude"; its options stand in [agents.claude]'],
    ['[agents.claude]\nallowed_tools = ["Bash"]', '2: unknown key "allowed_tools"; did you mean "allowedTools"?'],
    ['[agents.claude]\npermission_mode = "auto"', '2: unknown key "permission_mode"; did you mean "permissionMode"?'],
    [
      '[agents.claude]\npermissionMode = "auto"',
      '2: agents.claude.permissionMode "auto" is not one of default, plan, accept-edits, bypass; planning first is set for a chat: planMode = "auto"'
    ],
    ['permission_mode = "plan"', '1: unknown key "permission_mode"; permissionMode stands in [agents.NAME]'],
    ['model = "opus"', '1: unknown key "model"; model stands in [agents.NAME]'],
    [
      "[telegram]\ntoken = { env = 'T' }\n[gateway.targets.team]\nchat = 'my friends'",
      "4: gateway.targets.team.chat is not the id of a chat as a text in quotes; /whoami shows it there"
    ],
    ['agnet = "codex"', '1: unknown key "agnet"; did you mean "agent"?'],
    ['\n[agents.claude]\nmodle = "x"', '3: unknown key "modle"; did you mean "model"?'],
    ["[agents.claud]\n", '1: unknown key "claud"; did you mean "claude"?'],
    ["[telegraph]\nx = 1", '1: unknown key "telegraph"; did you mean "telegram"?'],
    [
      "[matrix]\n",
      '1: unknown key "matrix" (known: agent, directory, agents, directories, worktrees, store, usage, zone, budgets, prices, priceFile, telemetry, whileBusy, progress, approvals, gateway, limits, web, telegram, slack, discord, whatsapp, webhooks, webhookServer, transcribe, chats)'
    ],
    ["[[budgets]]\nusd = 5", '1: budgets "1": name is missing'],
    [
      'whileBusy = "stear"',
      '1: whileBusy "stear" is not one of steer, queue, collect, interrupt; did you mean "steer"?'
    ],
    ["[approvals]\nallow = 'read'", '2: approvals.allow is not a list of texts, such as ["Read", "Bash(git *)"]'],
    [
      "[approvals]\nallow = ['reed']",
      '2: approvals.allow has "reed", which is not one of command, file_change, read, search, web, mcp, subagent, other, command(PATTERN), *; did you mean "read"?'
    ],
    [
      "[approvals]\ndeny = ['command( )']",
      '2: approvals.deny has "command( )", which is not one of command, file_change, read, search, web, mcp, subagent, other, command(PATTERN), *; did you mean "command"?'
    ],
    ["[approvals]\nalow = []", '2: unknown key "alow"; did you mean "allow"?'],
    [
      "[gateway.targets.team]\nchat = '1'",
      "1: gateway.targets needs [telegram] or [slack] or [discord] or [whatsapp]: targets are chats of its bot"
    ],
    [
      "[telegram]\ntoken = { env = 'T' }\n[gateway.targets.team]\nthread = '7'",
      "3: gateway.targets.team has no chat: write its id, which /whoami shows there"
    ],
    [
      "[gateway.targets.'my team']\nchat = '1'",
      '1: gateway.targets."my team" is not a name for agents: use letters, digits, . _ -'
    ],
    ["[gateway]\nprofile = 'all'", '2: gateway.profile "all" is not one of none, reply, messaging, full'],
    ["[gateway]\nscheduleUsd = 0", "2: gateway.scheduleUsd is not an amount of US dollars above 0, without quotes"],
    ["[limits]\ntotal = 0", "2: limits.total is not a whole number from 1 to 1000, without quotes"],
    ["[limits]\ntotal = '5'", "2: limits.total is not a whole number from 1 to 1000, without quotes"],
    ["[web]\nport = 0", "2: web.port is not a port: a whole number from 1 to 65535, without quotes"],
    ["[web]\nport = 80.5", "2: web.port is not a port: a whole number from 1 to 65535, without quotes"],
    ["[web]\nhost = 'a b'", '2: web.host is neither an address nor a name, such as "127.0.0.1"'],
    [
      "[web]\nhost = '::'",
      "2: web.host lets other machines in: add allowRemote = true, with web.tls, or use 127.0.0.1"
    ],
    [
      "[web]\nallowRemote = true",
      "2: web.allowRemote needs web.tls: without it, anyone on the network path can read the key of the page"
    ],
    [
      "[web]\nallowRemote = true\ntls = { cert = '/c', key = '/k' }",
      '2: web.allowRemote needs web.hosts: the names by which the page is reached, such as ["agents.example"]'
    ],
    ["[web]\ntls = { cert = '/c.pem' }", "2: web.tls needs both cert and key"],
    [
      "[web.tls]\ncert = 'c.pem'",
      "2: web.tls.cert is a relative path, which means another place in each directory; begin it with / or ~/"
    ],
    ["[web]\nprot = 1", '2: unknown key "prot"; did you mean "port"?'],
    ["budgets = 5", "1: budgets is a list of tables: write [[budgets]] above the keys of each"],
    ["[budgets]\nusd = 5", "1: budgets is a list of tables: write [[budgets]] above the keys of each"],
    [day("usd = 0"), '6: budgets "day": usd needs US dollars, at least 0.000001'],
    [day("usd = -1"), '6: budgets "day": usd needs US dollars, at least 0.000001'],
    [day("usd = nan"), '6: budgets "day": usd needs US dollars, at least 0.000001'],
    [day('usd = "5"'), '6: budgets "day": usd needs a number, not a text'],
    [day("eur = 5"), '6: budgets "day": eur is not known: a budget is in US dollars (usd), tokens or turns: usd: 5'],
    [
      day("usd = 5\nwarnAt = 70"),
      '7: budgets "day": warnAt needs a share of the limit, above 0 and at most 1, such as 0.7'
    ],
    [day("usd = 5\nper = 'week'"), '7: budgets "day": per needs "all", "user", "project", "session" or "run"'],
    [
      `${day("usd = 5")}\n[[budgets]]\nname = 'day'\nwindow = 'day'\nusd = 1`,
      '10: budgets "day": name "day" is the name of another budget, too'
    ],
    ['zone = "Mars/Olympus"', '1: zone "Mars/Olympus" is not a time zone, such as "Europe/Berlin" or "UTC"'],
    ["zone = 2", "1: zone is not a text; put it in quotes"],
    ['usage = "no"', "1: usage is neither true nor false, without quotes"],
    ["[telemetry]\ncontent = 1", "2: telemetry.content is neither true nor false, without quotes"],
    ["[telemetry]\nendpoint = 'x'", '2: unknown key "endpoint" (known of [telemetry]: content, cli)'],
    [
      "[prices]\nm = { input = '1', output = 2 }",
      "2: prices.m.input is not a number from 0 to 100000: US dollars per million tokens, without quotes or currency, such as 1.25"
    ],
    [
      "[prices.m]\ninput = 1\noutput = -2",
      "3: prices.m.output is not a number from 0 to 100000: US dollars per million tokens, without quotes or currency, such as 1.25"
    ],
    [
      "[prices]\nm = 3",
      "2: prices.m is neither a name nor rates: write the name of another model in quotes, or rates: { input = 1.25, output = 10 }"
    ],
    [
      "[prices]\ngpt-5.5 = { input = 1, output = 2 }",
      "2: prices.gpt-5.5 is not a rate of a model; a model with a dot in its name stands in quotes"
    ],
    ["prices = 'x'", '1: prices is not a table of models: { "gpt-reserve": "gpt-5.6-luna" }'],
    [
      "priceFile = 'prices.json'",
      "1: priceFile is a relative path, which means another place in each directory; begin it with / or ~/"
    ],
    [
      '[directories.shop]\npath = "/x"\nwhileBusy = "steer"',
      '3: unknown key "whileBusy" (known of [directories.shop]: path, agent, model, permissionMode, billing, worktree, setup, setupTimeout, copy)'
    ],
    [
      'agent = "gpt"',
      '1: agent "gpt" is not one of claude, gemini, codex, opencode, pi; `reins agents` lists the others'
    ],
    ['agent = "claud"', '1: agent "claud" is not one of claude, gemini, codex, opencode, pi; did you mean "claude"?'],
    [
      'agent = "copilot"\n[agents.copilot]\nmodel = "m"\nallowedTools = ["a"]',
      "4: agents.copilot.allowedTools has no effect: copilot has no such option; remove it"
    ],
    ["agent = 5", "1: agent is not one of claude, gemini, codex, opencode, pi; `reins agents` lists the others"],
    ['agents.claude = "opus"', "1: agents.claude is a table: write [agents.claude] above its keys"],
    ["[agents.claude.model]\n", "1: agents.claude.model is not a text; put it in quotes"],
    [
      'agents.claude.permissionMode = "yolo"',
      '1: agents.claude.permissionMode "yolo" is not one of default, plan, accept-edits, bypass; did you mean "bypass"?'
    ],
    [
      'agents.claude.allowedTools = "Read"',
      '1: agents.claude.allowedTools is not a list of texts, such as ["Read", "Bash(git *)"]'
    ],
    [
      'agents.codex.allowedTools = ["Read"]',
      "1: agents.codex.allowedTools has no effect: codex has no such option; remove it"
    ],
    [
      'agents.claude.command = "./claude"',
      "1: agents.claude.command is a relative path, which means another program in each directory; use a name on PATH, or begin it with / or ~/"
    ],
    ['agents.claude.model = ""', "1: agents.claude.model is empty; remove the key instead"],
    [
      'agents.claude.model = "a\\u001b[2J"',
      "1: agents.claude.model has control or invisible characters; type the value again"
    ],
    [
      'agents.claude.model = "a\\u202eb"',
      "1: agents.claude.model has control or invisible characters; type the value again"
    ],
    [
      'agents.claude.model = """\na\nb"""',
      "1: agents.claude.model has control or invisible characters; type the value again"
    ],
    ["directories.x.agent = 'claude'", "1: directories.x has no path"],
    ["[directories.x]\npath = '/x'\nworktree = 'all'", '3: directories.x.worktree "all" is not one of each'],
    [
      "[directories.x]\npath = '/x'\ncopy = ['../.env']",
      '3: directories.x.copy has "../.env", which is not a path below the directory, such as ".env"'
    ],
    ["[directories.x]\npath = '/x'\nsetup = ''", "3: directories.x.setup is empty; remove the key instead"],
    ["worktrees.max = 0", "1: worktrees.max is not a whole number from 1 to 1000, without quotes"],
    [
      "[directories.x]\npath = 'code'",
      "2: directories.x.path is a relative path, which means another place in each directory; begin it with / or ~/"
    ],
    [
      '[directories."\\u001b[2J"]\npath = "/x"',
      '1: directories."\\u001b[2J" is not a name: use letters, digits, spaces, . _ and -, at most 64'
    ],
    [
      'directory = "shp"\n[directories.shop]\npath = "/x"',
      '1: directory "shp" has no table [directories.NAME]; did you mean "shop"?'
    ],
    ['store.database = "postgres://me:pw@h/db"', "1: store.database is a table: write [store.database] above its keys"],
    [
      'store.database.env = "postgres://me:pw@h/db"',
      "1: store.database.env is not the name of an environment variable; the value itself does not belong here, where other programs read it"
    ],
    [
      'store.database = { env = "A", file = "/b" }',
      "1: store.database has both env and file, or none of them; keep one"
    ],
    [
      '[store]\ndatabase.env = "A"\ndirectory = "/d"',
      "3: store.directory has no effect beside store.database; remove one of them"
    ],
    [
      'store.keep.sessions = "soon"',
      '1: store.keep.sessions is not a duration above 0, such as "7 days" or "12 hours"'
    ],
    ["store.keep.sessions = 7", '1: store.keep.sessions is not a duration above 0, such as "7 days" or "12 hours"'],
    ["store.keep.transcripts = -1", "1: store.keep.transcripts is not a whole number from 0 to 1000000"],
    ["[telegram]\nowners = [1]", '1: telegram has no token: write token = { env = "TELEGRAM_BOT_TOKEN" }'],
    [
      "[telegram]\ntoken = 5",
      '2: telegram.token is not a text: write { env = "TELEGRAM_BOT_TOKEN" }, or { file = "…" }'
    ],
    [
      '[telegram]\ntoken = "12345:abc\\nhunter2"',
      "2: telegram.token is not a token as @BotFather gives it: digits, a colon, and 30 letters, digits, - and _ or more"
    ],
    [
      "[telegram]\ntoken = { env = 'A', file = '/b' }",
      "2: telegram.token has both env and file, or none of them; keep one"
    ],
    [
      "[telegram.token]\nenv = '12345:hunter2'",
      "2: telegram.token.env is not the name of an environment variable; the value itself does not belong here, where other programs read it"
    ],
    ["[telegram]\nowner = [1]", '2: unknown key "owner"; did you mean "owners"?'],
    ["[telegram]\nowners = 1", "2: telegram.owners is not a list of ids, such as [123456789]"],
    [
      "[telegram]\nowners = ['@ann']",
      '2: telegram.owners has the user name "@ann": user names change hands; write to the bot, and /whoami shows the id'
    ],
    [
      "[telegram]\nadmins = ['ann']",
      '2: telegram.admins has the user name "ann": user names change hands; write to the bot, and /whoami shows the id'
    ],
    [
      "[telegram]\nusers = [-1001234]",
      "2: telegram.users has -1001234, which is not a person's id: those are above 0; groups belong below [telegram.groups]"
    ],
    [
      "[telegram]\nusers = [1.5]",
      "2: telegram.users contains something that is not an id, such as 123456789: write to the bot, and /whoami shows the id"
    ],
    [
      '[telegram]\nusers = ["1\\u202e2"]',
      "2: telegram.users contains something that is not an id, such as 123456789: write to the bot, and /whoami shows the id"
    ],
    [
      "[telegram.groups.family]\nmention = true",
      '1: telegram.groups.family is not the id of a group, such as "-1001234567890"; the log names it'
    ],
    ["[telegram.groups.'-100']\nmentoin = true", '2: unknown key "mentoin"; did you mean "mention"?'],
    [
      "[telegram]\napiRoot = 'http://bots.example'",
      "2: telegram.apiRoot needs https, unless the server is on this machine: the token goes there"
    ],
    [
      "[telegram]\napiRoot = 'https://me:hunter2@bots.example'",
      "2: telegram.apiRoot has a name, a password, or something behind ? or #, which no server is given"
    ],
    ["[chats.'@family']\nmodel = 'x'", '1: chats."@family" is not the id of a chat; /whoami shows it'],
    ["[chats.1]\nmodle = 'x'", '2: unknown key "modle"; did you mean "model"?'],
    ["[chats.1]\neffort = 'very high'", '2: chats.1.effort is not a word, such as "high"'],
    [
      "[chats.1]\ndirectory = 'shp'\n[directories.shop]\npath = '/x'",
      '2: chats.1.directory "shp" has no table [directories.NAME]; did you mean "shop"?'
    ],
    [
      "__proto__.agent = 'claude'",
      '1: unknown key "__proto__" (known: agent, directory, agents, directories, worktrees, store, usage, zone, budgets, prices, priceFile, telemetry, whileBusy, progress, approvals, gateway, limits, web, telegram, slack, discord, whatsapp, webhooks, webhookServer, transcribe, chats)'
    ],
    ["agent = claude", "1: is not TOML: Invalid value; a text stands in quotes"],
    ['\nagent = "cl', "2: is not TOML: Unterminated basic string"],
    ['agent = "codex"\nagent = "codex"', "2: is not TOML: Cannot redefine existing key 'agent'"]
  ])("with %j", (text, expected) => {
    assert.strictEqual(first(text), expected)
  })

  it("with several problems, in the order of its lines", () => {
    const found = problems('agnet = "x"\n[agents.codex]\nmodel = 5\n[store]\nkeep.turn = "1 day"\n')
    assert.deepStrictEqual(
      found.map(({ line }) => line),
      [1, 3, 5]
    )
  })

  it("never shows a value that is not of a known form", () => {
    for (const text of [
      "agent = hunter2",
      'store.database.env = "hunter2 "',
      "model = hunter2\n",
      'agents.claude.command = "x/hunter2"',
      'telegram.token = "hunter2"',
      "telegram.token = 12345:hunter2",
      'webhooks.a.secret = "hunter2"'
    ])
      assert.notInclude(JSON.stringify(problems(text)), "hunter2")
  })

  it.prop(
    "of any text gives no more than problems",
    [Schema.String, Schema.Literals(["", "[agents.claude]\nmodel = ", "agent = "])],
    ([text, before]) => {
      for (const { problem } of problems(before + text)) assert.notMatch(problem, /[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/)
    }
  )
})

/** An id that the channel of a key has. */
const chatOf = (name: string) => {
  const example = channelOf(name.split(".")[0])?.group?.example ?? '"-100"'
  return example.slice(1, -1)
}

describe("a key of the command line", () => {
  it.each(keys.map(({ path }) => path.join(".")))("%s", (name) => {
    const input = name.replace("ID", "claude").replace("CHAT", chatOf(name))
    assert.deepStrictEqual(
      Result.map(parseKey(input), (found) => found.path),
      Result.succeed(input.split("."))
    )
  })

  it("can have a quoted name", () => {
    assert.deepStrictEqual(
      Result.map(parseKey('directories."my shop".path'), ({ path }) => path),
      Result.succeed(["directories", "my shop", "path"])
    )
  })

  it.each([
    ["agnet", '"agnet" is not a key; did you mean "agent"?'],
    ["agents.claude.modle", '"agents.claude.modle" is not a key; did you mean "model"?'],
    [
      "agents.claude",
      '"agents.claude" is not a key: agents.claude.{model, permissionMode, allowedTools, billing, command}'
    ],
    ["directories", '"directories" is not a key: directories.{a name}'],
    [
      "",
      '"" is not a key: {agent, directory, agents, directories, worktrees, store, usage, zone, budgets, prices, priceFile, telemetry, whileBusy, progress, approvals, gateway, limits, web, telegram, slack, discord, whatsapp, webhooks, webhookServer, transcribe, chats}'
    ],
    [
      "a\u001b[2J",
      '"a\\\\u001b[2J" is not a key: {agent, directory, agents, directories, worktrees, store, usage, zone, budgets, prices, priceFile, telemetry, whileBusy, progress, approvals, gateway, limits, web, telegram, slack, discord, whatsapp, webhooks, webhookServer, transcribe, chats}'
    ],
    [
      "agent = 1\nx",
      '"agent = 1\\nx" is not a key: {agent, directory, agents, directories, worktrees, store, usage, zone, budgets, prices, priceFile, telemetry, whileBusy, progress, approvals, gateway, limits, web, telegram, slack, discord, whatsapp, webhooks, webhookServer, transcribe, chats}'
    ]
  ])("%j is refused", (name, problem) => {
    assert.deepStrictEqual(Result.mapError(parseKey(name), String), Result.fail(problem))
  })
})

describe("a value of the command line", () => {
  const read = (name: string, text: string) => {
    const key = keyAt(name.split("."))
    return key === undefined ? undefined : readValue(key.form, text)
  }

  it.each([
    ["agents.claude.allowedTools", "Read, Bash(git a,b)", ["Read", "Bash(git a,b)"]],
    ["store.keep.transcripts", "5", 5],
    ["store.keep.sessions", "14d", "14 days"],
    ["store.keep.sessions", "12 hours", "12 hours"],
    ["agents.claude.model", "5", "5"],
    ["usage", "false", false],
    ["zone", "Europe/Berlin", "Europe/Berlin"],
    ["prices.gpt-reserve", "gpt-5.6-luna", "gpt-5.6-luna"],
    ["prices.local.input", "0.25", 0.25],
    ["telegram.owners", "123, 42", ["123", "42"]]
  ])("%s %s", (name, text, value) => {
    assert.deepStrictEqual(read(name, text), Result.succeed(value))
  })

  it.each([
    ["store.keep.transcripts", "some"],
    ["store.keep.sessions", "soon"],
    ["agents.claude.permissionMode", "all"],
    ["agents.claude.model", "a\nb"],
    ["usage", "no"],
    ["zone", "Berlin"],
    ["prices.local.input", "-1"],
    ["budgets", "day=5"],
    ["telegram.token", `12345:${"a".repeat(35)}`],
    ["telegram.owners", "@ann"]
  ])("%s %j is refused", (name, text) => {
    assert.isTrue(Result.isFailure(read(name, text) ?? Result.succeed("")))
  })
})

it("the agents and modes of a file are those of the library", () => {
  assert.deepStrictEqual([...agentIds], [...Object.keys(clis), ...acpAgentIds])
  assert.deepStrictEqual(keyAt(["agents", "claude", "permissionMode"])?.form, {
    kind: "choice",
    of: PermissionMode.literals
  })
})
