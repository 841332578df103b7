// Imported before anything else: says in one line when Node is too old, instead of failing somewhere later.
const [major, minor] = process.versions.node.split('.').map(Number);
const isNewEnough = major === 20 ? minor >= 19 : major === 22 ? minor >= 13 : major > 22;

if (!isNewEnough) {
  process.stderr.write(
    `vidimus: Node ${process.versions.node} is too old or odd: 20.19 or later, or 22.13 or later is needed\n`,
  );
  process.exit(1);
}
