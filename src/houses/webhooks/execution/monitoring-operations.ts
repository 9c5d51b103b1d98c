import {
  bold,
  code,
  type Fields,
  fieldsOf,
  joinParts,
  linked,
  listOf,
  plainLine,
  plainText,
  renderEach,
  textOf,
  urlOf,
  withoutMentions,
} from './text-operations.ts'

/** Alerts that a message lists. */
const maxAlerts = 10

/** A notification of Alertmanager or Grafana as text: the state, and each alert with its summary and address. */
export function readAlerts(body: Fields): string {
  const alerts = listOf(body.alerts)
  const state = plainLine(body.status || body.state).toUpperCase()
  const title = plainLine(body.title) || plainLine(body.ruleName) || nameOf(fieldsOf(body.commonLabels))
  const url = urlOf(body.ruleUrl) || urlOf(body.externalURL)
  const values = renderEach(listOf(body.evalMatches), ({ metric, value }) => {
    return `- ${joinParts([plainLine(metric), plainLine(value)], ': ')}`
  })
  const more = alerts.length - maxAlerts
  return withoutMentions(
    joinParts([
      linked(joinParts([title.toUpperCase().includes(state) ? '' : `[${state}]`, bold(title)], ' '), url),
      // Grafana's message repeats the alerts.
      alerts.length === 0 ? plainText(body.message) : '',
      ...values,
      ...renderEach(alerts.slice(0, maxAlerts), renderAlert),
      more > 0 ? `- and ${more} more` : '',
    ]),
  )
}

function renderAlert({ status, labels, annotations, generatorURL, panelURL }: Fields): string {
  const { summary, description, message } = fieldsOf(annotations)
  const of = fieldsOf(labels)
  const where = plainLine(of.instance) || plainLine(of.job)
  const name = joinParts([bold(nameOf(of)), where], ' on ')
  const said = plainText(summary) || plainText(message) || plainText(description)
  const line = joinParts([joinParts([plainLine(status), name], ' '), said], ': ')
  return `- ${linked(line, urlOf(panelURL) || urlOf(generatorURL))}`
}

function nameOf({ alertname }: Fields): string {
  return plainLine(alertname) || 'Alert'
}

/** A build of Jenkins (its plugin Notification) as text. */
export function readJenkins(body: Fields): string {
  const { number, phase, status, full_url, url, scm } = fieldsOf(body.build)
  const name = bold(
    joinParts([plainLine(body.display_name) || plainLine(body.name), plainLine(number)], ' #'),
  )
  const state = joinParts([plainLine(phase).toLowerCase(), bold(plainLine(status).toLowerCase())], ', ')
  const { branch, commit } = fieldsOf(scm)
  return withoutMentions(
    joinParts([
      linked(`Build ${name}: ${state}`, urlOf(full_url) || urlOf(url)),
      joinParts([code(branch), code(textOf(commit).slice(0, 7))], ' at '),
    ]),
  )
}

/** An issue or alert of Sentry as text, in the form of its integrations or that of its older webhooks. */
export function readSentry(body: Fields): string {
  const data = fieldsOf(body.data)
  const kind = ['issue', 'event', 'error', 'metric_alert'].find((name) => name in data)
  const subject = { ...body, ...data, ...fieldsOf(body.event), ...fieldsOf(kind && data[kind]) }
  const titles = [data.description_title, subject.title, subject.message, subject.culprit].map(plainLine)
  const level = plainLine(subject.level) || plainLine(body.action)
  const project = plainLine(fieldsOf(subject.project).name) || plainLine(body.project_name)
  const url = urlOf(data.web_url) || urlOf(subject.web_url) || urlOf(subject.permalink) || urlOf(body.url)
  const title = bold(titles.find((text) => text !== '') ?? '')
  return withoutMentions(
    joinParts([
      linked(joinParts([level && `[${level}]`, title, project && `in ${project}`], ' '), url),
      plainText(data.description_text),
      code(subject.culprit),
    ]),
  )
}
