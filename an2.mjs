import { readFileSync } from 'node:fs';
const p = JSON.parse(readFileSync(process.argv[2]));
const byId = new Map(p.nodes.map((n) => [n.id, n]));
const parent = new Map();
for (const n of p.nodes) for (const c of n.children ?? []) parent.set(c, n.id);
const total = p.timeDeltas.reduce((a, b) => a + b, 0);
let t = 0;
const cat = new Map();
let sum = 0;
const self = new Map();
for (let i = 0; i < p.samples.length; i++) {
  t += p.timeDeltas[i];
  if (t < total * 0.45) continue;
  self.set(p.samples[i], (self.get(p.samples[i]) ?? 0) + p.timeDeltas[i]);
}
for (const [id, us] of self) {
  const f = byId.get(id).callFrame;
  if (f.functionName === '(idle)') continue;
  sum += us;
  let c;
  const file = f.url.split('/').pop().replace(/-.*/, '');
  if (f.url.startsWith('wasm') || f.functionName.includes('wasm')) c = 'prisma wasm';
  else if (f.url.includes('command-DVG') && f.lineNumber > 60000 && f.lineNumber < 68500) c = 'prisma';
  else if (f.url === '') c = 'native ' + f.functionName;
  else if (f.url.startsWith('node:')) c = f.url;
  else c = file;
  cat.set(c, (cat.get(c) ?? 0) + us);
}
console.log(sum / 1000);
for (const [k, v] of [...cat].sort((a, b) => b[1] - a[1]).slice(0, 40))
  console.log((v / 1000).toFixed(0), ((100 * v) / sum).toFixed(1), k);
const fs = new Map();
for (const [id, us] of self) {
  const f = byId.get(id).callFrame;
  if (
    !/\/(command|serve)-/.test(f.url) ||
    (f.url.includes('command-DVG') && f.lineNumber > 60000 && f.lineNumber < 68500)
  )
    continue;
  const k = f.functionName + ' ' + f.url.split('/').pop().slice(0, 12) + ':' + f.lineNumber;
  fs.set(k, (fs.get(k) ?? 0) + us);
}
let tot = 0;
for (const v of fs.values()) tot += v;
console.log('\nours', tot / 1000, fs.size);
for (const [k, v] of [...fs].sort((a, b) => b[1] - a[1]).slice(0, 60)) console.log((v / 1000).toFixed(1), k);
