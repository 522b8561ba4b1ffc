// SPDX-License-Identifier: GPL-3.0-or-later
// The controls of the scenario. Every move edits the workbench at once; what is refused stays in its control with the
// reason beside it.
#pragma once

#include "panels/field.h"
#include "workbench/workbench.h"

#include <QScrollArea>

#include <array>
#include <functional>
#include <map>

class QCheckBox;
class QDoubleSpinBox;
class QTimer;
class QToolButton;
class QVBoxLayout;

namespace deltascope::ui {

class Picker;
class SegmentedControl;

class ScenarioPanel : public QScrollArea {
    Q_OBJECT
public:
    explicit ScenarioPanel(Workbench& workbench, QWidget* parent = nullptr);

    /// The field that a refusal with this subject is shown at; null when the panel has none.
    [[nodiscard]] Field* fieldOf(const std::string& subject) const;
    [[nodiscard]] NumberField* numberField(const std::string& subject) const;
    [[nodiscard]] Picker* picker(const std::string& subject) const;
    [[nodiscard]] SegmentedControl* phaseControl() const { return phase_; }
    [[nodiscard]] QCheckBox* allFullBox() const { return allFull_; }
    [[nodiscard]] QCheckBox* paddingMaskBox() const { return paddingMask_; }
    [[nodiscard]] QDoubleSpinBox* acceptedLengthBox() const { return accepted_; }
    /// "Follow 1 + MTP": shown while the query length of a decode step was set by hand.
    [[nodiscard]] QToolButton* followButton() const { return followQuery_; }
    /// A refusal of something that has no control here.
    [[nodiscard]] QLabel* otherProblem() const { return otherProblem_; }
    [[nodiscard]] bool moreIsOpen() const;
    void setMoreOpen(bool open);

    [[nodiscard]] QSize sizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;

private:
    struct NumberControl {
        std::string subject;
        NumberField* field;
        std::function<std::int64_t(const Scenario&)> get;
        std::function<void(Scenario&, std::int64_t)> set;
        bool limited = false; ///< mark on the track where memory runs out
    };

    void buildModelAndHardware(QVBoxLayout* column);
    void buildStep(QVBoxLayout* column);
    void buildParallelism(QVBoxLayout* column);
    void buildPrecision(QVBoxLayout* column);
    void buildAcceptance(QVBoxLayout* column);
    void buildMore(QVBoxLayout* column);
    void buildSplits(QVBoxLayout* column);
    void buildExperts(QVBoxLayout* column);
    void buildImages(QVBoxLayout* column);
    Picker* addPicker(QVBoxLayout* column, const std::string& subject, const QString& label, const QString& toolTip,
                      std::function<void(Scenario&, const QString&)> set);
    NumberField* addNumber(QVBoxLayout* column, const QString& label, const QString& unit, const QString& toolTip,
                           NumberControl control);

    void fillPickers();
    void refresh();
    void refreshNotes();
    void refreshMore();    ///< hides what the model has no use for
    void refreshHost();    ///< offers the modes where the engine has a host model
    void refreshSchemes(); ///< offers the checkpoint's own where the model has one
    void refreshTensorParallelScale();
    void refreshRefusal();
    void refreshGhosts();
    void refreshLimits();
    void refreshAcceptance();
    void choosePhase(int index);
    void chooseAcceptedLength(double length, int gesture);

    Workbench& workbench_;
    std::map<std::string, Field*> fields_;
    std::map<std::string, Picker*> pickers_;
    std::vector<NumberControl> numbers_;
    SegmentedControl* phase_ = nullptr;
    QCheckBox* allFull_ = nullptr;
    QCheckBox* paddingMask_ = nullptr;
    QToolButton* followQuery_ = nullptr;
    QDoubleSpinBox* accepted_ = nullptr;
    ValueSlider* acceptedSlider_ = nullptr;
    int acceptedGesture_ = 0;
    QWidget* requestList_ = nullptr; ///< stands in for the step's controls when the scenario lists its requests
    QLabel* requestListText_ = nullptr;
    QLabel* otherProblem_ = nullptr;
    QToolButton* moreButton_ = nullptr;
    QWidget* more_ = nullptr;
    QTimer* limitsTimer_ = nullptr;
    std::vector<std::int64_t> tpSizes_;

    struct Lengths {
        std::optional<std::int64_t> query, context;
    };
    std::array<Lengths, 2> lengthsOfPhase_; ///< what the other phase goes back to
};

} // namespace deltascope::ui
