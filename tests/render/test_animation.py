"""Pictures of plans by Planimation profiles: ours, one with every function, and what is wrong in one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.pages import body
from validator import check
from validator.checking.prepared import Prepared, prepare
from validator.cli import main
from validator.errors import ModelError, ValidatorError
from validator.model.bundled import bundle
from validator.model.pddl import read_model
from validator.render.animation.frames import animation_tree
from validator.render.animation.profile import read_profile
from validator.render.animation.scene import scene

BLOCKS = bundle("blocks")
PROFILE = BLOCKS.domain.parent / "animation.ap"
BROKEN = BLOCKS.domain.parent / "broken-order.plan"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
GRID = f"""(define (animation grid)
  (:predicate place :parameters (?p) :effect ((assign (?p x y) (function distribute_grid_around_point (objects ?p)))))
  (:predicate road :parameters (?p ?q) :effect ((action (function draw_line (objects ?p ?q)))))
  (:predicate at :parameters (?c ?p) :custom sign :priority 1
    :effect ((assign (?c x y) (function distribute_within_objects_vertical (objects ?c ?p)))
             (equal (?p color) #FF0000) (equal (sign y) (add (?p y) -20 1.5))
             (equal (sign x) (function align_middle (objects sign ?p)))
             (assign (?p label) (function calculate_label (objects ?c ?p)))))
  (:visual node :type default :properties ((x NULL) (y NULL) (prefabImage img) (color WHITE) (width 50) (height 50)
    (showLabel TRUE) (label 0)))
  (:visual car :type predefine :objects (%car)
    :properties ((showName TRUE) (x NULL) (y NULL) (width 10) (height 10) (depth 2)))
  (:visual sign :type custom :properties ((x NULL) (y NULL) (width 20) (height 5) (color pink)))
  (:image (img {PNG})))"""
STREETS = """(define (domain streets) (:predicates (place ?p) (road ?p ?q) (at ?c ?p))
  (:action drive :parameters (?c ?p ?q) :precondition (and (road ?p ?q) (at ?c ?p))
    :effect (and (at ?c ?q) (not (at ?c ?p)))))"""
TOWN = """(define (problem town) (:domain streets) (:objects p0-0 p1-0 p1-2 car1 car2)
  (:init (place p0-0) (place p1-0) (place p1-2) (road p0-0 p1-0) (road p1-0 p1-2) (at car1 p0-0) (at car2 p0-0))
  (:goal (at car1 p1-2)))"""


def pictures(model: Prepared, profile: Path | str, plan: Path | str) -> str:
    return body(animation_tree(profile, model.simulator, check(model, None, plan, time_limit=60)))


def test_functions_lines_images_tints_and_labels() -> None:
    model = prepare(read_model(STREETS, TOWN))
    text = pictures(model, GRID, "(drive car1 p0-0 p1-0)\n(drive car1 p1-0 p1-2)\n")
    assert text.count("<line ") == 2 * 3 and text.count(f"base64,{PNG}") == 1
    assert 'flood-color="#ff0000"' in text and text.count('filter="url(#tint-ff0000)"') == 1 + 2 + 1  # drawn once each
    shown = read_profile(GRID)
    found = scene(shown, list(model.model.problem.objects), model.model.problem.init, {})
    places = {name: (one["x"], one["y"]) for name, one in found.sprites.items()}
    assert places == {
        "p0-0": (0, 0),
        "p1-0": (100, 0),
        "p1-2": (100, 200),
        "car1": (5, 5),
        "car2": (5, 15),
        "sign": (15, -18.5),
    }
    assert found.sprites["p0-0"]["label"] == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("(define (animation grid)", "(define (domain grid)", "(define (animation NAME) ...) was expected"),
        ("distribute_grid_around_point", "spread", "the function 'spread' is not supported: distributex,"),
        ("(objects ?p ?q)", "(objects ?p)", "draw_line takes 2 objects, not 1"),
        ("(add (?p y) -20 1.5)", "(multiply 2 3)", "(add ...) or (function ...) was expected"),
        (
            "(equal (?p color) #FF0000)",
            "(rotate ?p 90)",
            "(equal (OBJECT PROPERTY) VALUE) or (action ...) was expected",
        ),
        (PNG, "PHN2Zz48L3N2Zz4=", "the image is not PNG, JPEG, GIF or WebP in base64"),
        (":type custom", ":type moving", "a visual is default, custom or predefine, not 'moving'"),
        ("(:image", "(:sound", "(:predicate ...), (:visual ...) or (:image ...) was expected"),
    ],
)
def test_what_is_not_supported_is_said_with_its_place(old: str, new: str, said: str) -> None:
    with pytest.raises(ModelError, match=re.escape(said)) as error:
        read_profile(GRID.replace(old, new))
    assert "animation, line " in str(error.value) or "animation:" in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("(sign x) (function", "(sign z) (function", "sets 'z' by a function that gives x"),
        ("(equal (sign y)", "(equal (post y)", "names 'post', which is neither a parameter nor an object"),
        ("(width 10)", "(width wide)", "calculates with 'wide', which is not a number"),
        ("?p) :effect ((assign (?p", "?p) :effect ((assign (?p) 1) (assign (?p", "needs the name of a property"),
    ],
)
def test_what_cannot_be_drawn_is_said(old: str, new: str, said: str) -> None:
    with pytest.raises(ValidatorError, match=re.escape(said)):
        pictures(prepare(read_model(STREETS, TOWN)), GRID.replace(old, new), "(drive car1 p0-0 p1-0)")


def test_the_command_draws_and_says_where_it_does_not(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked = ["check", str(BLOCKS.domain), str(BLOCKS.problem), str(BROKEN), "--animation"]
    assert main([*asked, str(PROFILE), "--format", "html"]) == 1
    assert "Step by step in pictures" in capsys.readouterr().out
    assert main([*asked, str(PROFILE)]) == 2
    assert "--animation goes with --format html" in capsys.readouterr().err
    (tmp_path / "profile").write_text("(define (animation x) (:predicate on :effect (hop)))")
    assert main([*asked, str(tmp_path / "profile"), "--format", "html"]) == 2
    assert "Traceback" not in capsys.readouterr().err
