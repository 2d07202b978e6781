import type Libsql from "libsql";

type Statement = Libsql.Statement;

/** Every statement there is, compiled once. */
export interface Statements {
  readonly begin: Statement;
  readonly commit: Statement;
  readonly rollback: Statement;
  readonly fact: Statement;
  readonly setFact: Statement;
  readonly endpoints: Statement;
  readonly putEndpoint: Statement;
  /** Each takes the id of an endpoint. */
  readonly dropEndpoint: readonly Statement[];
  readonly jobs: Statement;
  readonly addJob: Statement;
  readonly setJob: Statement;
  readonly setResult: Statement;
  readonly dropJob: Statement;
  readonly deliveries: Statement;
  readonly putDelivery: Statement;
  readonly dropDelivery: Statement;
}

export function prepareStatements(database: Libsql.Database): Statements {
  const prepare = (text: string): Statement => database.prepare(text);
  return {
    begin: prepare("BEGIN"),
    commit: prepare("COMMIT"),
    rollback: prepare("ROLLBACK"),
    fact: prepare("SELECT value FROM facts WHERE name = ?"),
    setFact: prepare("INSERT OR REPLACE INTO facts VALUES (?, ?)"),
    endpoints: prepare("SELECT id, facts FROM endpoints ORDER BY rowid"),
    putEndpoint: prepare(
      "INSERT INTO endpoints VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET facts = excluded.facts",
    ),
    dropEndpoint: [
      prepare("DELETE FROM deliveries WHERE endpoint = ?"),
      prepare("DELETE FROM jobs WHERE endpoint = ?"),
      prepare("DELETE FROM endpoints WHERE id = ?"),
    ],
    jobs: prepare("SELECT * FROM jobs WHERE endpoint = ? ORDER BY rowid"),
    addJob: prepare("INSERT INTO jobs VALUES (?, ?, ?, ?, ?)"),
    setJob: prepare("UPDATE jobs SET facts = ? WHERE endpoint = ? AND id = ?"),
    setResult: prepare("UPDATE jobs SET facts = ?, result = ? WHERE endpoint = ? AND id = ?"),
    dropJob: prepare("DELETE FROM jobs WHERE endpoint = ? AND id = ?"),
    deliveries: prepare("SELECT * FROM deliveries WHERE endpoint = ? ORDER BY rowid"),
    putDelivery: prepare(
      "INSERT INTO deliveries VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET facts = excluded.facts",
    ),
    dropDelivery: prepare("DELETE FROM deliveries WHERE id = ?"),
  };
}
