"""Reads files of molecules by a program of chemists and prints what it found as JSON.

    oracle.py mdanalysis|mdtraj|pymol < LINES

Each line names files with tabs between: one with atoms, and a trajectory if there is one. For each a line is printed
that begins with "found ". Its object has frames (a list of lists of x, y, z in Å), names, residues, chains, elements, B factors, bonds and boxes, as far as
the program gives them.
"""
import json
import sys
import warnings

warnings.simplefilter("ignore")


def by_mdanalysis(files):
    import MDAnalysis

    universe = MDAnalysis.Universe(*files)
    atoms = universe.atoms
    frames, boxes, times = [], [], []
    for step in universe.trajectory:
        frames.append([float(x) for row in step.positions for x in row])
        boxes.append(None if step.dimensions is None else [float(x) for x in step.dimensions])
        times.append(float(step.time))
    found = {"frames": frames, "boxes": boxes, "times": times, "names": [str(name) for name in atoms.names]}
    if hasattr(atoms, "resnames"):
        found["residues"] = [f"{a.resname}{a.resid}" for a in atoms]
    if hasattr(atoms, "chainIDs"):
        found["chains"] = [str(a.chainID) for a in atoms]
    if hasattr(atoms, "elements"):
        found["elements"] = [str(element).capitalize() for element in atoms.elements]
    if hasattr(atoms, "tempfactors"):
        found["factors"] = [float(factor) for factor in atoms.tempfactors]
    if hasattr(universe, "bonds"):
        found["bonds"] = sorted([int(i) for i in sorted(bond.indices)] for bond in universe.bonds)
    return found


def by_mdtraj(files):
    import mdtraj

    if len(files) == 1:
        trajectory = mdtraj.load(files[0])
    else:
        trajectory = mdtraj.load(files[1], top=files[0])
    topology = trajectory.topology
    angstroms = trajectory.xyz.astype("float64") * 10
    found = {"frames": [frame.reshape(-1).tolist() for frame in angstroms]}
    found["names"] = [atom.name for atom in topology.atoms]
    found["residues"] = [f"{atom.residue.name}{atom.residue.resSeq}" for atom in topology.atoms]
    found["elements"] = [atom.element.symbol for atom in topology.atoms]
    found["bonds"] = sorted(sorted([a.index, b.index]) for a, b in topology.bonds)
    if trajectory.unitcell_lengths is not None:
        pairs = zip(trajectory.unitcell_lengths.tolist(), trajectory.unitcell_angles.tolist())
        found["boxes"] = [[side * 10 for side in sides] + angles for sides, angles in pairs]
    return found


def by_pymol(files):
    import pymol2

    with pymol2.PyMOL() as session:
        cmd = session.cmd
        cmd.set("retain_order", 1)
        cmd.load(files[0], "made")
        if len(files) > 1:
            cmd.load_traj(files[1], "made", state=1)
        count = cmd.count_states("made")
        frames = [cmd.get_coords("made", state).astype("float64").reshape(-1).tolist() for state in range(1, count + 1)]
        model = cmd.get_model("made", 1)
        found = {"frames": frames, "names": [atom.name for atom in model.atom]}
        found["residues"] = [f"{atom.resn}{atom.resi}" for atom in model.atom]
        found["chains"] = [atom.chain for atom in model.atom]
        found["elements"] = [atom.symbol for atom in model.atom]
        found["factors"] = [atom.b for atom in model.atom]
        found["bonds"] = sorted(sorted(bond.index) for bond in model.bond)
    return found


if __name__ == "__main__":
    by = {"mdanalysis": by_mdanalysis, "mdtraj": by_mdtraj, "pymol": by_pymol}[sys.argv[1]]
    for line in sys.stdin:
        print("found", json.dumps(by(line.rstrip("\n").split("\t"))), flush=True)
